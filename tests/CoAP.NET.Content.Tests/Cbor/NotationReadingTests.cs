namespace CoAP.NET.Content.Tests.Cbor;

/// <summary>Diagnostic notation that is read: RFC 8949 section 8 and appendix A, RFC 8610 appendix G.</summary>
public sealed class NotationReadingTests
{
    [Theory]
    [InlineData("00", "0")]
    [InlineData("01", "1")]
    [InlineData("0a", "10")]
    [InlineData("17", "23")]
    [InlineData("1818", "24")]
    [InlineData("1819", "25")]
    [InlineData("1864", "100")]
    [InlineData("1903e8", "1000")]
    [InlineData("1a000f4240", "1000000")]
    [InlineData("1b000000e8d4a51000", "1000000000000")]
    [InlineData("1bffffffffffffffff", "18446744073709551615")]
    [InlineData("c249010000000000000000", "18446744073709551616")]
    [InlineData("3bffffffffffffffff", "-18446744073709551616")]
    [InlineData("c349010000000000000000", "-18446744073709551617")]
    [InlineData("20", "-1")]
    [InlineData("29", "-10")]
    [InlineData("3863", "-100")]
    [InlineData("3903e7", "-1000")]
    [InlineData("f90000", "0.0")]
    [InlineData("f98000", "-0.0")]
    [InlineData("f93c00", "1.0")]
    [InlineData("fb3ff199999999999a", "1.1")]
    [InlineData("f93e00", "1.5")]
    [InlineData("f97bff", "65504.0")]
    [InlineData("fa47c35000", "100000.0")]
    [InlineData("fa7f7fffff", "3.4028234663852886e+38")]
    [InlineData("fb7e37e43c8800759c", "1.0e+300")]
    [InlineData("f90001", "5.960464477539063e-8")]
    [InlineData("f9c400", "-4.0")]
    [InlineData("fbc010666666666666", "-4.1")]
    [InlineData("f97c00", "Infinity")]
    [InlineData("f97e00", "NaN")]
    [InlineData("f9fc00", "-Infinity")]
    [InlineData("f4", "false")]
    [InlineData("f5", "true")]
    [InlineData("f6", "null")]
    [InlineData("f7", "undefined")]
    [InlineData("f0", "simple(16)")]
    [InlineData("f8ff", "simple(255)")]
    [InlineData("c074323031332d30332d32315432303a30343a30305a", "0(\"2013-03-21T20:04:00Z\")")]
    [InlineData("c11a514b67b0", "1(1363896240)")]
    [InlineData("c1fb41d452d9ec200000", "1(1363896240.5)")]
    [InlineData("d74401020304", "23(h'01020304')")]
    [InlineData("d818456449455446", "24(h'6449455446')")]
    [InlineData("d82076687474703a2f2f7777772e6578616d706c652e636f6d", "32(\"http://www.example.com\")")]
    [InlineData("40", "h''")]
    [InlineData("4401020304", "h'01020304'")]
    [InlineData("60", "\"\"")]
    [InlineData("6161", "\"a\"")]
    [InlineData("6449455446", "\"IETF\"")]
    [InlineData("62225c", "\"\\\"\\\\\"")]
    [InlineData("80", "[]")]
    [InlineData("83010203", "[1, 2, 3]")]
    [InlineData("8301820203820405", "[1, [2, 3], [4, 5]]")]
    [InlineData("98190102030405060708090a0b0c0d0e0f101112131415161718181819",
        "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]")]
    [InlineData("a0", "{}")]
    [InlineData("a201020304", "{1: 2, 3: 4}")]
    [InlineData("a26161016162820203", "{\"a\": 1, \"b\": [2, 3]}")]
    [InlineData("826161a161626163", "[\"a\", {\"b\": \"c\"}]")]
    [InlineData("a56161614161626142616361436164614461656145",
        "{\"a\": \"A\", \"b\": \"B\", \"c\": \"C\", \"d\": \"D\", \"e\": \"E\"}")]
    [InlineData("5f42010243030405ff", "(_ h'0102', h'030405')")]
    [InlineData("7f657374726561646d696e67ff", "(_ \"strea\", \"ming\")")]
    [InlineData("9fff", "[_ ]")]
    [InlineData("9f018202039f0405ffff", "[_ 1, [2, 3], [_ 4, 5]]")]
    [InlineData("9f01820203820405ff", "[_ 1, [2, 3], [4, 5]]")]
    [InlineData("83018202039f0405ff", "[1, [2, 3], [_ 4, 5]]")]
    [InlineData("83019f0203ff820405", "[1, [_ 2, 3], [4, 5]]")]
    [InlineData("9f0102030405060708090a0b0c0d0e0f101112131415161718181819ff",
        "[_ 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25]")]
    [InlineData("bf61610161629f0203ffff", "{_ \"a\": 1, \"b\": [_ 2, 3]}")]
    [InlineData("826161bf61626163ff", "[\"a\", {_ \"b\": \"c\"}]")]
    [InlineData("bf6346756ef563416d7421ff", "{_ \"Fun\": true, \"Amt\": -2}")]
    [InlineData("f820", "simple(32)")]
    [InlineData("62c3bc", "\"ü\"")]
    [InlineData("5fff", "''_")]
    [InlineData("7fff", "\"\"_")]
    public void The_examples_of_the_appendix_are_read_and_written(string hex, string notation)
    {
        AssertRead(hex, notation);
        Assert.True(CborDiagnostics.TryFormat(Wire.Hex(hex), out string text, out ContentFault fault), fault.ToString());
        Assert.Equal(notation, text);
    }

    [Theory]
    [InlineData("f90400", "0.00006103515625")]
    [InlineData("fa7f800000", "Infinity_2")]
    [InlineData("fa7fc00000", "NaN_2")]
    [InlineData("faff800000", "-Infinity_2")]
    [InlineData("fb7ff0000000000000", "Infinity_3")]
    [InlineData("fb7ff8000000000000", "NaN_3")]
    [InlineData("fbfff0000000000000", "-Infinity_3")]
    [InlineData("62c3bc", "\"\\u00fc\"")]
    [InlineData("63e6b0b4", "\"\\u6c34\"")]
    [InlineData("64f0908591", "\"\\ud800\\udd51\"")]
    [InlineData("64f0908591", "\"\ud800\udd51\"")]
    public void Other_notations_of_the_RFC_examples_are_parsed(string hex, string notation) => AssertRead(hex, notation);

    [Theory]
    [InlineData("191267", "4711")]
    [InlineData("191267", "0x1267")]
    [InlineData("191267", "0o11147")]
    [InlineData("191267", "0b1001001100111")]
    [InlineData("391266", "-0x1267")]
    [InlineData("c249ffffffffffffffffff", "0xFFffffffffffffffff")]
    [InlineData("3bffffffffffffffff", "-0x10000000000000000")]
    [InlineData("00", "-0")]
    [InlineData("f93e00", "0x1.8p0")]
    [InlineData("f93e00", "0x18p-4")]
    [InlineData("f9be00", "-0x0.18p+4")]
    [InlineData("f98000", "-0x0p99999999999")]
    [InlineData("fb0000000000000001", "0x1p-1074")]
    [InlineData("fb7fefffffffffffff", "0x1.fffffffffffffp1023")]
    [InlineData("f963d0", "1e3")]
    [InlineData("f963d0", "1E+3")]
    [InlineData("f90000", "1e-999")]
    public void Numbers_may_have_four_radices_and_two_kinds_of_floating_point(string hex, string notation) => AssertRead(hex, notation);

    [Theory]
    [InlineData("1801", "1_0")]
    [InlineData("190001", "1_1")]
    [InlineData("1a00000001", "1_2")]
    [InlineData("1b0000000000000001", "1_3")]
    [InlineData("01", "1_i")]
    [InlineData("3800", "-1_0")]
    [InlineData("190010", "0x10_1")]
    [InlineData("f93e00", "1.5_1")]
    [InlineData("fa3fc00000", "1.5_2")]
    [InlineData("fb3ff8000000000000", "1.5_3")]
    [InlineData("fa4048f5c3", "3.14_2")]
    [InlineData("f94248", "3.14_1")]
    [InlineData("d80100", "1_0(0)")]
    [InlineData("da0000000100", "1_2(0)")]
    [InlineData("980101", "[_0 1]")]
    [InlineData("9a00000000", "[_2]")]
    [InlineData("8101", "[_i 1]")]
    [InlineData("b900010102", "{_1 1: 2}")]
    [InlineData("780161", "\"a\"_0")]
    [InlineData("59000101", "h'01'_1")]
    [InlineData("580101", "<<1>>_0")]
    [InlineData("7f780161ff", "(_ \"a\"_0)")]
    [InlineData("5fff", "''_")]
    [InlineData("7fff", "\"\"_")]
    [InlineData("9fff", "[_]")]
    public void Encoding_indicators_select_the_width_of_the_encoding(string hex, string notation) => AssertRead(hex, notation);

    [Theory]
    [InlineData("4412345678", "h'12345678'")]
    [InlineData("4412345678", "h'12 34\n 5\t678'")]
    [InlineData("4412345678", "b32'CI2FM6A'")]
    [InlineData("4412345678", "b32'CI2FM6A='")]
    [InlineData("4412345678", "h32'28Q5CU0'")]
    [InlineData("4412345678", "h32'28q5cu0='")]
    [InlineData("4412345678", "b64'EjRWeA'")]
    [InlineData("4412345678", "b64'EjRWeA=='")]
    [InlineData("42fbff", "b64'+/8'")]
    [InlineData("42fbff", "b64'-_8'")]
    [InlineData("4b68656c6c6f20776f726c64", "'hello world'")]
    [InlineData("4427225c0a", "'\\'\"\\\\\\n'")]
    [InlineData("42c3bc", "'ü'")]
    [InlineData("4101", "<<1>>")]
    [InlineData("420102", "<<1, 2>>")]
    [InlineData("4563666f6ff6", "<<\"foo\", null>>")]
    [InlineData("40", "<<>>")]
    [InlineData("434201ff", "<<h'01ff',>>")]
    public void Byte_strings_have_six_forms(string hex, string notation) => AssertRead(hex, notation);

    [Theory]
    [InlineData("6b48656c6c6f20776f726c64", "\"Hello world\"")]
    [InlineData("6b48656c6c6f20776f726c64", "\"Hello \" \"world\"")]
    [InlineData("6b48656c6c6f20776f726c64", "\"Hello\" h'20' \"world\"")]
    [InlineData("6b48656c6c6f20776f726c64", "\"\" h'48656c6c6f20776f726c64' \"\"")]
    [InlineData("4b48656c6c6f20776f726c64", "'Hello ' 'world'")]
    [InlineData("4b48656c6c6f20776f726c64", "'Hello ' h'776f726c64'")]
    [InlineData("4b48656c6c6f20776f726c64", "'Hello' + h'20' /and/ + \"world\"")]
    [InlineData("62c3bc", "\"\" h'c3' h'bc'")]
    [InlineData("a1626162f5", "{\"a\" \"b\": true}")]
    public void Adjacent_strings_are_concatenated(string hex, string notation) => AssertRead(hex, notation);

    [Theory]
    [InlineData("830102f6", "[1, / one [, / 2, # two ]\nnull // the end\n]")]
    [InlineData("4b68656c6c6f20776f726c64", "h'68 65 6c /doubled l!/ 6c 6f # hello\n 20 /space/ 77 6f 72 6c 64' /world/")]
    [InlineData("01", " \t\r\n1 # without an end of the line")]
    [InlineData("01", "///\n/x/1//")]
    [InlineData("c101", "1( /x/ 1 )")]
    [InlineData("f5", "/ü \ud83d\ude00/ true")]
    public void Comments_are_treated_as_white_space(string hex, string notation) => AssertRead(hex, notation);

    [Theory]
    [InlineData("820102", "[1, 2,]")]
    [InlineData("9f01ff", "[_ 1, ]")]
    [InlineData("a10102", "{1: 2, }")]
    [InlineData("5f4101ff", "(_ h'01', )")]
    public void A_comma_may_follow_the_last_item(string hex, string notation) => AssertRead(hex, notation);

    [Theory]
    [InlineData("", "")]
    [InlineData("", " / nothing / ")]
    [InlineData("018102f6", "1,\n[2],\nnull")]
    [InlineData("01", "1,")]
    public void A_sequence_is_parsed_only_when_it_is_allowed(string hex, string notation)
    {
        Assert.Equal(hex, Wire.Hex(CoapCborNotation.Parse(notation, isSequence: true)));
        Assert.Equal(hex == "01", CoapCborNotation.TryParse(notation.TrimEnd(','), out _, out _));
    }

    [Fact]
    public void JSON_is_parsed_as_diagnostic_notation()
    {
        const string Json = """
            {"name": "a\/b\u00e9\n", "on": true, "off": false, "none": null, "values": [0, -1, 1.5, -2.5e-3, 12345678901234567890], "": {}}
            """;

        byte[] cbor = CoapCborNotation.Parse(Json);

        using JsonDocument expected = JsonDocument.Parse(Json);
        using JsonDocument json = JsonDocument.Parse(CoapCborJson.ToJson(cbor));
        Assert.True(JsonElement.DeepEquals(expected.RootElement, json.RootElement), json.RootElement.GetRawText());
    }

    [Theory]
    [InlineData("", 0, "an item was expected, but the text ends")]
    [InlineData("[1 2]", 3, "a comma or ] was expected, but '2' was found")]
    [InlineData("[1, 2", 5, "a comma or ] was expected, but the text ends")]
    [InlineData("[,]", 1, "an item was expected, but ',' was found")]
    [InlineData("{1}", 2, "a colon was expected, but '}' was found")]
    [InlineData("{1: }", 4, "an item was expected, but '}' was found")]
    [InlineData("1 2", 2, "the end of the text was expected, but '2' was found")]
    [InlineData("1, 2", 1, "the end of the text was expected, but ',' was found")]
    [InlineData("\"abc", 4, "the quote at the end of the string that begins at offset 0 was expected, but the text ends")]
    [InlineData("\"a\u001b\"", 2, "an escape for the control character was expected, but U+001B was found")]
    [InlineData("\"\\'\"", 2,
        "one of \" \\ / b f n r t u, or ' in single quotes, behind the \\ was expected, but a single quote was found")]
    [InlineData("\"\\u12g4\"", 5, "a hexadecimal digit was expected, but 'g' was found")]
    [InlineData("\"\\ud800\\u0041\"", 1, "a whole surrogate pair was expected, but half of one was found")]
    [InlineData("\"\\udc00\"", 1, "a whole surrogate pair was expected, but half of one was found")]
    [InlineData("h'0'", 3, "one more digit, as no byte ends here, was expected, but a single quote was found")]
    [InlineData("h'0x'", 3, "a digit of base16 or the single quote at the end was expected, but 'x' was found")]
    [InlineData("h'00", 4, "a digit of base16 or the single quote at the end was expected, but the text ends")]
    [InlineData("b64'A'", 5, "one more digit, as no byte ends here, was expected, but a single quote was found")]
    [InlineData("b64'AQ='", 4, "a multiple of 4 digits was expected, those of the padding included, but 3 were found")]
    [InlineData("b64'===='", 4, "a multiple of 4 digits was expected, those of the padding included, but 4 were found")]
    [InlineData("b64'AR'", 4, "a last digit without bits beyond the last byte was expected, but another one was found")]
    [InlineData("b64'AQ=A'", 7, "a digit of base64 or the single quote at the end was expected, but 'A' was found")]
    [InlineData("h32'w'", 4, "a digit of base32hex or the single quote at the end was expected, but 'w' was found")]
    [InlineData("\"\" h'ff'", 0, "a text was expected, but the bytes that it consists of are not UTF-8")]
    [InlineData("'a' + 1", 6, "a string was expected, but '1' was found")]
    [InlineData("(_ )", 3, "a part of a string (an empty one is ''_ or \"\"_) was expected, but ')' was found")]
    [InlineData("(_ 'a', \"b\")", 8, "a byte string like the parts before was expected, but a text string was found")]
    [InlineData("(_ 'a', 1)", 8, "a part of the string was expected, but '1' was found")]
    [InlineData("(1)", 1, "_ was expected, but '1' was found")]
    [InlineData("(_ ''_)", 5, "_0, _1, _2, _3 or _i was expected, but _ was found, which is for empty strings alone (others: (_ ...))")]
    [InlineData("'a'_", 3, "_0, _1, _2, _3 or _i was expected, but _ was found, which is for empty strings alone (others: (_ ...))")]
    [InlineData("<<1", 3, "a comma or >> was expected, but the text ends")]
    [InlineData("007", 0, "a number without zeros in front was expected, but a digit follows 0 (octal numbers begin with 0o)")]
    [InlineData("-", 1, "a digit was expected, but the text ends")]
    [InlineData("-Inf", 1, "Infinity was expected, but Inf was found")]
    [InlineData("1.", 2, "a digit was expected, but the text ends")]
    [InlineData("1.5e", 4, "a digit was expected, but the text ends")]
    [InlineData("0x", 2, "a hexadecimal digit was expected, but the text ends")]
    [InlineData("0o8", 2, "an octal digit was expected, but '8' was found")]
    [InlineData("0b2", 2, "a binary digit was expected, but '2' was found")]
    [InlineData("0x1.8", 5, "the exponent of a hexadecimal number (p) was expected, but the text ends")]
    [InlineData("0x1p9999", 0, "a number that a double holds exactly was expected, but another one was found")]
    [InlineData("0x1.00000000000001p0", 0, "a number that a double holds exactly was expected, but another one was found")]
    [InlineData("0x1p99999999999", 0, "a number that a double holds exactly was expected, but another one was found")]
    [InlineData("1e999", 0, "a number in the range of a double was expected, but a larger one was found")]
    [InlineData("1e5_1", 3, "a wider encoding indicator was expected, as the number is beyond the range of this one")]
    [InlineData("1.5_0", 3, "_1, _2 or _3 was expected, but _0 follows a floating-point number")]
    [InlineData("24_i", 2, "an encoding indicator that the number fits was expected, but _i was found")]
    [InlineData("256_0", 3, "an encoding indicator that the number fits was expected, but _0 was found")]
    [InlineData("1_", 1, "an encoding indicator that the number fits was expected, but _ was found")]
    [InlineData("1_4", 2, "0, 1, 2, 3 or i as encoding indicator was expected, but 4 was found")]
    [InlineData("18446744073709551616_3", 20, "no encoding indicator was expected, but one follows a number beyond 64 bits")]
    [InlineData("-1(0)", 0, "a tag from 0 to 18446744073709551615 was expected, but another number was found")]
    [InlineData("1(0", 3, ") was expected, but the text ends")]
    [InlineData("simple(24)", 7, "a simple value (0 to 23, 32 to 255) was expected, but another number was found")]
    [InlineData("simple", 6, "( was expected, but the text ends")]
    [InlineData("True", 0, "an item was expected, but True was found")]
    [InlineData("aaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0, "an item was expected, but aaaaaaaaaaaaaaaaaaaa... was found")]
    [InlineData("dt'1969-07-21'", 0, "h, b64, b32 or h32 in front of the quote was expected, but dt was found")]
    [InlineData("/ 1", 0, "the / at the end of the comment that begins here was expected, but the text ends")]
    [InlineData("...", 0, "an item was expected, but '.' was found")]
    public void Invalid_notation_is_refused_and_the_error_names_the_offset(string notation, int offset, string message)
    {
        Assert.False(CoapCborNotation.TryParse(notation, out byte[] cbor, out CoapContentSyntaxError error));

        Assert.Equal((offset, message), (error.Offset, error.Message));
        Assert.Empty(cbor);
        Assert.Equal(offset, Assert.Throws<CoapFormatException>(() => CoapCborNotation.Parse(notation)).Position);
    }

    [Fact]
    public void An_unpaired_surrogate_is_refused_in_text_and_allowed_in_a_comment()
    {
        Assert.False(CoapCborNotation.TryParse("\"\ud800\"", out _, out CoapContentSyntaxError error));
        Assert.Equal((1, "a whole surrogate pair was expected, but U+D800 was found"), (error.Offset, error.Message));
        Assert.Equal([0xf5], CoapCborNotation.Parse("/\udc00/ true"));
    }

    [Fact]
    public void The_exception_has_the_problem_and_its_offset() => Assert.Equal(
        "The text is not CBOR in diagnostic notation: a comma or ] was expected, but '2' was found (offset 3).",
        Assert.Throws<CoapFormatException>(() => CoapCborNotation.Parse("[1 2]")).Message);

    private static void AssertRead(string hex, string notation)
    {
        Assert.True(CoapCborNotation.TryParse(notation, out byte[] cbor, out CoapContentSyntaxError error), error.ToString());

        Assert.Equal(default, error);
        Assert.Equal(hex, Wire.Hex(cbor));
    }
}
