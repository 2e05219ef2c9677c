using System.Text;

namespace CoAP.NET.Content;

/// <summary>CBOR for people: diagnostic notation (RFC 8949 section 8).</summary>
internal static class CborDiagnostics
{
    /// <summary>Writes CBOR in diagnostic notation.</summary>
    /// <param name="bytes">One item, or a sequence of any number (RFC 8742).</param>
    /// <param name="text">The notation, items of a sequence on lines of their own; when the bytes are no CBOR, that of the items before the fault.</param>
    /// <param name="fault">What is wrong with the bytes.</param>
    /// <param name="width">The characters that a line may have before arrays and maps are laid out over several lines.</param>
    /// <param name="isSequence">Whether several items may follow each other.</param>
    /// <returns>Whether all of it is well-formed.</returns>
    public static bool TryFormat(ReadOnlySpan<byte> bytes, out string text, out ContentFault fault, int width = int.MaxValue, bool isSequence = false)
    {
        CborReader reader = new(bytes);
        StringBuilder all = new();
        bool isRead = true;
        for (bool isFirst = true; isRead && (isFirst ? !isSequence || !reader.IsAtEnd : !reader.IsAtEnd); isFirst = false)
        {
            int before = all.Append(isFirst ? "" : ",\n").Length;
            isRead = (isFirst || isSequence || reader.TryEnd()) && reader.TryReadDiagnostic(all, width);

            // Of an item that is none not even the comma before it stays.
            all.Length = isRead ? all.Length : before - (isFirst ? 0 : 2);
        }

        text = all.ToString();
        fault = reader.Fault;
        return isRead;
    }
}
