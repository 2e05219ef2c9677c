using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Transports.Tcp.Linux;

public class PartialFramesTests
{
    private const int Piece = 4096;

    [Fact]
    public void What_comes_byte_by_byte_takes_no_piece_of_memory_for_each()
    {
        PartialFrames partial = new();
        for (int i = 0; i < 3 * Piece; i++)
        {
            partial.GetMemory().Span[0] = (byte)i;
            partial.Written(1);
        }

        Assert.Equal(3 * Piece, partial.Length);
        int pieces = 0;
        int at = 0;
        foreach (ReadOnlyMemory<byte> piece in partial.Read())
        {
            pieces++;
            foreach (byte one in piece.Span)
            {
                Assert.Equal((byte)at++, one);
            }
        }

        Assert.Equal(3 * Piece, at);
        Assert.InRange(pieces, 1, 3);
    }

    [Fact]
    public void What_comes_fast_is_read_in_larger_and_larger_pieces()
    {
        PartialFrames partial = new();
        int last = 0;
        for (int i = 0; i < 6; i++)
        {
            Memory<byte> memory = partial.GetMemory();
            Assert.True(memory.Length >= last);
            last = memory.Length;
            partial.Written(last);
        }

        Assert.Equal(64 * 1024, last);
    }
}
