#include "io/encoding.hpp"

#include <gtest/gtest.h>

namespace darboux {
namespace {

TEST(Encoding, TellsUtf8FromWhatIsNone) {
  for (const std::string_view text : {"", "plain", "Größe", "€", "𝒳", "\xf4\x8f\xbf\xbf", "\xed\x9f\xbf", "\xc2\x80"})
    EXPECT_TRUE(is_utf8(text)) << text;
  for (const std::string_view text :
       {"Gr\xf6\xdf"
        "e",
        "\x80", "\xc3", "a\xc3", "\xe2\x82", "\xc3(", "\xe2\x28\xa1", "\xf0\x9d\x92", "\xff\xfe", "\xc0\xaf",
        "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf",  // overlong
        "\xed\xa0\x80", "\xed\xbf\xbf",                  // surrogates
        "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80"})     // beyond the last
    EXPECT_FALSE(is_utf8(text)) << text;
}

TEST(Encoding, Windows1252IsLatin1WithLettersInPlaceOfControls) {
  EXPECT_EQ(utf8_from_windows_1252("Gr\xf6\xdf"
                                   "e \xa0\xff"),
            "Größe \xc2\xa0ÿ");
  EXPECT_EQ(utf8_from_windows_1252("\x80\x85\x8a\x92\x96\x99\x9f"), "€…Š’–™Ÿ");
  EXPECT_EQ(utf8_from_windows_1252("\x81"), "\xc2\x81");
  for (int c = 0; c < 256; ++c) EXPECT_TRUE(is_utf8(utf8_from_windows_1252(std::string(1, static_cast<char>(c))))) << c;
}

}  // namespace
}  // namespace darboux
