namespace CoAP.NET.Content.Tests.Cbor;

/// <summary>Diagnostic notation, by the examples of RFC 8949 appendix A.</summary>
public sealed class CborDiagnosticsTests
{
    [Theory]
    [InlineData("")]
    [InlineData("18")]
    [InlineData("8201")]
    [InlineData("62c328")]
    [InlineData("ff")]
    [InlineData("0001")]
    [InlineData("5f00ff")]
    [InlineData("9b7fffffffffffffff")]
    public void Malformed_CBOR_is_a_fault(string hex)
    {
        Assert.False(CborDiagnostics.TryFormat(Wire.Hex(hex), out _, out ContentFault fault));

        Assert.NotEmpty(fault.Message);
    }

    [Fact]
    public void Items_of_a_sequence_are_on_separate_lines()
    {
        Assert.True(CborDiagnostics.TryFormat(Wire.Hex("018102f6"), out string text, out _, isSequence: true));

        Assert.Equal("1,\n[2],\nnull", text);
    }

    [Fact]
    public void An_item_wider_than_the_width_is_broken_into_lines()
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
    public void Only_items_wider_than_the_width_are_broken_into_lines(int width)
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
            ? expected.Replace("[2, {\"b\": h'00'}]", "[\n      2,\n      {\"b\": h'00'}\n    ]")
            : expected, text);
    }

    [Theory]
    [InlineData(int.MaxValue)]
    [InlineData(80)]
    public void The_allocated_memory_does_not_grow_with_the_depth_of_an_item(int width)
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
    public void An_item_that_is_nested_too_deeply_is_not_formatted()
    {
        byte[] nested = [.. Enumerable.Repeat((byte)0x81, 10_000), 0];

        Assert.False(CborDiagnostics.TryFormat(nested, out _, out ContentFault fault));
        fault.Message.Mentions("deep");
    }
}
