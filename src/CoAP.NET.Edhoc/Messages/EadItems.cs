using System.Formats.Cbor;
using CoAP.NET.Content.Cbor;

namespace CoAP.NET.Edhoc.Messages;

/// <summary>External authorization data at the end of a message or a plaintext (RFC 9528 section 3.8).</summary>
internal static class EadItems
{
    private const int MaxItems = 16;

    /// <summary>Reads all remaining items.</summary>
    /// <param name="reader">The reader, after the last item of the message itself.</param>
    /// <param name="known">The labels that the application knows.</param>
    /// <returns>The items that it knows.</returns>
    /// <exception cref="EdhocException">They are malformed, or one is critical and unknown.</exception>
    public static IReadOnlyList<EdhocEad> Read(ref SequenceReader reader, ISet<int> known)
    {
        List<EdhocEad> items = [];
        for (int count = 1; !reader.IsAtEnd; count++)
        {
            int label = reader.ReadInt("a label of external authorization data");
            bool isCritical = label < 0;
            int number = label == int.MinValue ? int.MaxValue : Math.Abs(label);
            ReadOnlyMemory<byte>? value = null;
            if (!reader.IsAtEnd && reader.Peek() == CborMajor.ByteString)
            {
                value = reader.ReadBytes("a value of external authorization data").ToArray();
            }

            if (number > EdhocEad.MaxLabel || count > MaxItems)
            {
                throw reader.Fault(count > MaxItems ? $"has more than {MaxItems} items of external authorization data"
                    : "has a label of external authorization data that is out of range");
            }

            if (known.Contains(number) && number != 0)
            {
                items.Add(new EdhocEad(number, isCritical, value));
            }
            else if (isCritical)
            {
                throw reader.Fault("has critical external authorization data that this side does not know");
            }
        }

        return items;
    }

    public static byte[] Write(IReadOnlyList<EdhocEad> items)
    {
        if (items.Count == 0)
        {
            return [];
        }

        CborWriter writer = CborNumberWriter.Create();
        foreach (EdhocEad item in items)
        {
            ArgumentOutOfRangeException.ThrowIfNegative(item.Label);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(item.Label, EdhocEad.MaxLabel);
            writer.WriteInt32(item.IsCritical ? -item.Label : item.Label);
            if (item.Value is { } value)
            {
                writer.WriteByteString(value.Span);
            }
        }

        return writer.Encode();
    }
}
