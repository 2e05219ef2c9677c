using CoAP.NET.Explorer.Pages;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>
/// The body of a response as it comes. When it has more than one block the page is sent each of them too, so that it can go on from there
/// when the transfer ends early.
/// </summary>
/// <param name="sink">The page.</param>
/// <param name="offset">Where in the whole body this begins.</param>
/// <param name="maxSize">How many bytes there may be.</param>
internal sealed class BodyCapture(EventLines sink, long offset, int maxSize) : MemoryStream
{
    private int _told;

    /// <summary>What came.</summary>
    public ReadOnlyMemory<byte> Body => GetBuffer().AsMemory(0, (int)Length);

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        if (Position + buffer.Length > maxSize)
        {
            throw ExplorerException.Bad(
                "Too large", $"The body has more than {maxSize:N0} bytes.", "CoapExplorerOptions.MaxBodySize allows more.");
        }

        bool isFirst = Position == 0;
        base.Write(buffer);
        if (!isFirst)
        {
            Tell();
        }
    }

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken)
    {
        Write(buffer.AsSpan(offset, count));
        return Task.CompletedTask;
    }

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        Write(buffer.Span);
        return ValueTask.CompletedTask;
    }

    // The representation changed on the way, and comes anew.
    public override void SetLength(long value)
    {
        base.SetLength(value);
        _told = (int)Math.Min(_told, value);
    }

    private void Tell()
    {
        byte[] part = GetBuffer()[_told..(int)Length];
        long at = offset + _told;
        _told = (int)Length;
        sink.Add(json =>
        {
            json.WriteString("kind", "data");
            json.WriteNumber("offset", at);
            json.WriteBase64String("base64", part);
        });
    }
}
