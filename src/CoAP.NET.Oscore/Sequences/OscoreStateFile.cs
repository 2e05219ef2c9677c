using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Json;
using CoAP.NET.Cryptography;
using CoAP.NET.Files;

namespace CoAP.NET.Oscore.Sequences;

/// <summary>
/// The state of a context in a file of <see cref="FileOscoreStore"/>: JSON with a hash over its content and the context, which detects a
/// truncated, changed or renamed file.
/// </summary>
/// <param name="Epoch">The current epoch, or the last one.</param>
/// <param name="Bound">The lowest number that was never reserved.</param>
/// <param name="Received">The received numbers, after a clean end; null otherwise.</param>
internal sealed record OscoreStateFile(ulong Epoch, ulong Bound, OscoreReceivedNumbers? Received)
{
    private const int Version = 1;

    // The window has 512 bytes at most.
    private const int MaxLength = 4096;
    private const int SumLength = 16;

    /// <summary>Reads a file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="key">The context that it must belong to.</param>
    /// <returns>The state; null if there is no such file.</returns>
    /// <exception cref="OscoreStoreException">The content is not a state of the context.</exception>
    /// <exception cref="IOException">The file is not readable.</exception>
    public static OscoreStateFile? Read(string path, OscoreStoreKey key)
    {
        byte[] bytes = new byte[MaxLength + 1];
        int length;
        try
        {
            length = RegularFile.ReadStart(path, bytes);
        }
        catch (FileNotFoundException)
        {
            return null;
        }

        return Parse(bytes.AsSpan(0, length), key)
            ?? throw new OscoreStoreException(OscoreStoreFault.Corrupt,
                $"{path} does not hold the sequence numbers of its security context: it was truncated, changed, or written by another "
                + "version. Beginning at 0 would use numbers twice, so the endpoint sends nothing. Give both ends a new Master "
                + "Secret and remove the file.");
    }

    /// <summary>Writes the state through to the disk.</summary>
    public void Write(string path, OscoreStoreKey key)
    {
        ArrayBufferWriter<byte> buffer = new();
        using (Utf8JsonWriter writer = new(buffer, new JsonWriterOptions { Indented = true }))
        {
            writer.WriteStartObject();
            writer.WriteNumber("version"u8, Version);
            writer.WriteNumber("epoch"u8, Epoch);
            writer.WriteNumber("nextUnreserved"u8, Bound);
            if (Received is { } received)
            {
                writer.WriteNumber("receivedNext"u8, received.Next);
                writer.WriteString("received"u8, Convert.ToHexStringLower(received.Seen.Span));
            }

            writer.WriteString("sum"u8, SumOf(key));
            writer.WriteEndObject();
        }

        DurableFile.Write(path, buffer.WrittenSpan);
    }

    /// <summary>Parses the bytes of a file.</summary>
    /// <param name="bytes">The bytes, not yet validated.</param>
    /// <param name="key">The context that they must belong to.</param>
    /// <returns>The state; null if the bytes are not a state of this context.</returns>
    internal static OscoreStateFile? Parse(ReadOnlySpan<byte> bytes, OscoreStoreKey key)
    {
        if (bytes.Length > MaxLength)
        {
            return null;
        }

        try
        {
            Utf8JsonReader reader = new(bytes, new JsonReaderOptions { MaxDepth = 2 });
            using JsonDocument document = JsonDocument.ParseValue(ref reader);
            JsonElement root = document.RootElement;
            OscoreReceivedNumbers? received = root.TryGetProperty("received"u8, out JsonElement seen)
                ? new OscoreReceivedNumbers(root.GetProperty("receivedNext"u8).GetUInt64(), Convert.FromHexString(seen.GetString() ?? ""))
                : null;
            OscoreStateFile state = new(
                root.GetProperty("epoch"u8).GetUInt64(), root.GetProperty("nextUnreserved"u8).GetUInt64(), received);
            return root.GetProperty("version"u8).GetInt32() == Version && state.Bound <= OscoreSequence.End
                && root.GetProperty("sum"u8).GetString() == state.SumOf(key) && IsBlank(bytes[(int)reader.BytesConsumed..])
                ? state
                : null;
        }
        catch (Exception exception)
            when (exception is JsonException or FormatException or ArgumentException or InvalidOperationException or KeyNotFoundException)
        {
            return null;
        }
    }

    private static bool IsBlank(ReadOnlySpan<byte> rest) => rest.IndexOfAnyExcept(" \t\r\n"u8) < 0;

    private string SumOf(OscoreStoreKey key)
    {
        string seen = Received is { } received ? Convert.ToHexStringLower(received.Seen.Span) : "-";
        string text = string.Create(CultureInfo.InvariantCulture, $"{Version} {key} {Epoch} {Bound} {Received?.Next} {seen}");
        return Convert.ToHexStringLower(Sha256.HashData(Encoding.ASCII.GetBytes(text)).AsSpan(0, SumLength));
    }
}
