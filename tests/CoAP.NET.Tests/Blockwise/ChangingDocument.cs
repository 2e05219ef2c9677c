namespace CoAP.NET.Tests.Blockwise;

/// <summary>A document that is another one at each run of its handler, with its number at each place.</summary>
internal sealed class ChangingDocument(int size)
{
    private int _runs;

    public int Runs => Volatile.Read(ref _runs);

    public CoapResult Make() => CoapResults.Bytes(Of(Interlocked.Increment(ref _runs)));

    /// <summary>Which document a body is; fails when it is none, or parts of several.</summary>
    public int NumberOf(ReadOnlySpan<byte> body)
    {
        Assert.Equal(size, body.Length);
        int number = (int)(BitConverter.ToInt64(body) >> 32);
        Assert.True(body.SequenceEqual(Of(number)), $"The body begins as document {number} and goes on as another one.");
        return number;
    }

    private byte[] Of(int number)
    {
        byte[] document = new byte[size];
        for (int i = 0; i + 8 <= size; i += 8)
        {
            BitConverter.TryWriteBytes(document.AsSpan(i), ((long)number << 32) + i);
        }

        return document;
    }
}
