using System.Buffers;

namespace CoAP.NET.Content;

// Items that are encoded already.
internal sealed partial class CborWriter
{
    /// <summary>Items as their bytes; not looked at.</summary>
    public CborWriter WriteEncoded(ReadOnlySpan<byte> items)
    {
        _bytes.Write(items);
        return this;
    }
}
