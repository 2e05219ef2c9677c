using CoAP.NET.Content.Cbor;

namespace CoAP.NET.Content.Tests.Cbor;

/// <summary>Diagnostic notation, by the examples of RFC 8949 appendix A.</summary>
public sealed class CborDiagnosticsTests
{
    [Theory]
    [InlineData("00", "0")]
    [InlineData("1818", "24")]
    [InlineData("1bffffffffffffffff", "18446744073709551615")]
    [InlineData("c249010000000000000000", "18446744073709551616")]
    [InlineData("3bffffffffffffffff", "-18446744073709551616")]
    [InlineData("c349010000000000000000", "-18446744073709551617")]
    [InlineData("3863", "-100")]
    [InlineData("f90000", "0.0")]
    [InlineData("f98000", "-0.0")]
    [InlineData("f93e00", "1.5")]
    [InlineData("fa47c35000", "100000.0")]
    [InlineData("fa7f7fffff", "3.4028234663852886e+38")]
    [InlineData("fb7e37e43c8800759c", "1.0e+300")]
    [InlineData("f90001", "5.960464477539063e-8")]
    [InlineData("fbc010666666666666", "-4.1")]
    [InlineData("f97c00", "Infinity")]
    [InlineData("f97e00", "NaN")]
    [InlineData("f9fc00", "-Infinity")]
    [InlineData("f4", "false")]
    [InlineData("f5", "true")]
    [InlineData("f6", "null")]
    [InlineData("f7", "undefined")]
    [InlineData("f0", "simple(16)")]
    [InlineData("f820", "simple(32)")]
    [InlineData("f8ff", "simple(255)")]
    [InlineData("c074323031332d30332d32315432303a30343a30305a", "0(\"2013-03-21T20:04:00Z\")")]
    [InlineData("c11a514b67b0", "1(1363896240)")]
    [InlineData("c1fb41d452d9ec200000", "1(1363896240.5)")]
    [InlineData("d74401020304", "23(h'01020304')")]
    [InlineData("d818456449455446", "24(h'6449455446')")]
    [InlineData("40", "h''")]
    [InlineData("4401020304", "h'01020304'")]
    [InlineData("60", "\"\"")]
    [InlineData("62225c", "\"\\\"\\\\\"")]
    [InlineData("62c3bc", "\"ü\"")]
    [InlineData("80", "[]")]
    [InlineData("8301820203820405", "[1, [2, 3], [4, 5]]")]
    [InlineData("a0", "{}")]
    [InlineData("a201020304", "{1: 2, 3: 4}")]
    [InlineData("826161a161626163", "[\"a\", {\"b\": \"c\"}]")]
    [InlineData("5f42010243030405ff", "(_ h'0102', h'030405')")]
    [InlineData("7f657374726561646d696e67ff", "(_ \"strea\", \"ming\")")]
    [InlineData("5fff", "''_")]
    [InlineData("7fff", "\"\"_")]
    [InlineData("9fff", "[_ ]")]
    [InlineData("9f018202039f0405ffff", "[_ 1, [2, 3], [_ 4, 5]]")]
    [InlineData("bf61610161629f0203ffff", "{_ \"a\": 1, \"b\": [_ 2, 3]}")]
    public void Items_are_written_as_in_the_appendix(string hex, string expected)
    {
        Assert.True(CborDiagnostics.TryFormat(Wire.Hex(hex), out string text, out ContentFault fault), fault.ToString());

        Assert.Equal(expected, text);
    }

    [Theory]
    [InlineData("")]
    [InlineData("18")]
    [InlineData("8201")]
    [InlineData("62c328")]
    [InlineData("ff")]
    [InlineData("0001")]
    [InlineData("5f00ff")]
    [InlineData("9b7fffffffffffffff")]
    public void What_is_no_item_is_a_fault(string hex)
    {
        Assert.False(CborDiagnostics.TryFormat(Wire.Hex(hex), out _, out ContentFault fault));

        Assert.NotEmpty(fault.Message);
    }

    [Fact]
    public void Items_of_a_sequence_stand_on_lines_of_their_own()
    {
        Assert.True(CborDiagnostics.TryFormat(Wire.Hex("018102f6"), out string text, out _, isSequence: true));

        Assert.Equal("1,\n[2],\nnull", text);
    }

    [Fact]
    public void What_is_too_wide_is_laid_out_over_lines()
    {
        Assert.True(CborDiagnostics.TryFormat(Wire.Hex("a2616183010203616201"), out string text, out _, width: 12));

        Assert.Equal("{\n  \"a\": [1, 2, 3],\n  \"b\": 1\n}", text);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(5)]
    [InlineData(12)]
    [InlineData(14)]
    [InlineData(20)]
    [InlineData(100)]
    public void Only_what_is_too_wide_is_laid_out(int width)
    {
        // {"a": [1, [2, {"b": h'00'}]], "c": []}
        Assert.True(CborDiagnostics.TryFormat(Wire.Hex("a26161820182" + "02a1616241006163" + "80"), out string text, out ContentFault fault,
            width), fault.ToString());
        string expected = width switch
        {
            100 => "{\"a\": [1, [2, {\"b\": h'00'}]], \"c\": []}",
            20 => "{\n  \"a\": [\n    1,\n    [2, {\"b\": h'00'}]\n  ],\n  \"c\": []\n}",
            _ => "{\n  \"a\": [\n    1,\n    [\n      2,\n      {\n        \"b\": h'00'\n      }\n    ]\n  ],\n  \"c\": []\n}",
        };

        Assert.Equal(width == 20
            ? expected.Replace("[2, {\"b\": h'00'}]", "[\n      2,\n      {\"b\": h'00'}\n    ]", StringComparison.Ordinal)
            : expected, text);
    }

    [Theory]
    [InlineData(int.MaxValue)]
    [InlineData(80)]
    public void How_deep_something_lies_does_not_multiply_the_memory(int width)
    {
        long shallow = AllocatedBy(1, width);
        long deep = AllocatedBy(60, width);
        Assert.True(deep < 2 * shallow, $"{deep} B for an item 60 deep, {shallow} B for the same item 1 deep");

        static long AllocatedBy(int depth, int width)
        {
            byte[] item = [.. Enumerable.Repeat((byte)0x81, depth), 0x59, 0x20, 0x00, .. new byte[0x2000]];
            long allocated = 0;
            for (int i = 0; i < 2; i++)
            {
                long before = GC.GetAllocatedBytesForCurrentThread();
                Assert.True(CborDiagnostics.TryFormat(item, out _, out _, width));
                allocated = GC.GetAllocatedBytesForCurrentThread() - before;
            }

            return allocated;
        }
    }

    [Fact]
    public void Depth_has_a_bound()
    {
        byte[] nested = [.. Enumerable.Repeat((byte)0x81, 10_000), 0];

        Assert.False(CborDiagnostics.TryFormat(nested, out _, out ContentFault fault));
        Assert.Contains("deep", fault.Message, StringComparison.Ordinal);
    }
}
