using CoAP.NET.Explorer.Decoding;
using CoAP.NET.Explorer.Pages;

namespace CoAP.NET.Explorer.Exploring;

/// <summary>
/// Receives the body of a response. If it has several blocks, the page gets each of them, so that it can resume after an interrupted
/// transfer.
/// </summary>
/// <param name="sink">The page.</param>
/// <param name="begin">The offset in the whole body at which it starts.</param>
/// <param name="maxSize">The maximum number of bytes.</param>
internal sealed class ResponseBodyReceiver(PageEventWriter sink, long begin, int maxSize) : MemoryStream
{
    private int _told;

    /// <summary>The received bytes.</summary>
    public ReadOnlyMemory<byte> Body => GetBuffer().AsMemory(0, (int)Length);

    // All other overloads end here because the base class detects the derived type.
    public override void Write(byte[] buffer, int offset, int count)
    {
        if (Position + count > maxSize)
        {
            throw ExplorerException.Bad(
                "Too large", $"The body has more than {maxSize:N0} bytes.", "Raise CoapExplorerOptions.MaxBodySize to allow more.");
        }

        bool isFirst = Position == 0;
        base.Write(buffer, offset, count);
        if (!isFirst)
        {
            Report();
        }
    }

    // The representation changed during the transfer, which starts over.
    public override void SetLength(long value)
    {
        base.SetLength(value);
        _told = (int)Math.Min(_told, value);
    }

    private void Report()
    {
        byte[] part = GetBuffer()[_told..(int)Length];
        long at = begin + _told;
        _told = (int)Length;
        sink.Add(new() { ["kind"] = "data", ["offset"] = at, ["base64"] = ByteArrayJsonContext.Of(part) });
    }
}
