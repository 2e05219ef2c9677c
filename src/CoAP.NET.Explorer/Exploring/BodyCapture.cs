using CoAP.NET.Explorer.Pages;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>
/// The body of a response as it comes. When it has more than one block the page is sent each of them too, so that it can go on from there
/// when the transfer ends early.
/// </summary>
/// <param name="sink">The page.</param>
/// <param name="begin">Where in the whole body this begins.</param>
/// <param name="maxSize">How many bytes there may be.</param>
internal sealed class BodyCapture(EventLines sink, long begin, int maxSize) : MemoryStream
{
    private int _told;

    /// <summary>What came.</summary>
    public ReadOnlyMemory<byte> Body => GetBuffer().AsMemory(0, (int)Length);

    // All other ways to write end here, as the base class sees that it has an heir.
    public override void Write(byte[] buffer, int offset, int count)
    {
        if (Position + count > maxSize)
        {
            throw ExplorerException.Bad(
                "Too large", $"The body has more than {maxSize:N0} bytes.", "CoapExplorerOptions.MaxBodySize allows more.");
        }

        bool isFirst = Position == 0;
        base.Write(buffer, offset, count);
        if (!isFirst)
        {
            Tell();
        }
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
        long at = begin + _told;
        _told = (int)Length;
        sink.Add(json =>
        {
            json.WriteString("kind", "data");
            json.WriteNumber("offset", at);
            json.WriteBase64String("base64", part);
        });
    }
}
