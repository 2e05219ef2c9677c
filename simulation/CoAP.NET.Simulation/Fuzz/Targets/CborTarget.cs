using System.Buffers;
using System.Formats.Cbor;
using System.Text.Json;
using CoAP.NET.Content.Cbor;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>CBOR: the reader, its diagnostic notation, and CBOR as JSON and back (RFC 8949).</summary>
internal sealed class CborTarget : ContentTarget
{
    public override int Share => 1000;

    public override IReadOnlyList<byte[]> Dictionary => CborWords;

    internal static byte[][] CborWords { get; } =
    [
        [0x80], [0x81], [0x82], [0x9f], [0xff], [0xa0], [0xa1], [0xa2], [0xbf], [0x60], [0x61, 0x61], [0x7f], [0x40], [0x5f], [0x41, 0x00],
        [0xf4], [0xf5], [0xf6], [0xf7], [0xf8, 0xff], [0xf9, 0x3c, 0x00], [0xf9, 0x7c, 0x00],
        [0xfa, 0x47, 0xc3, 0x50, 0x00], [0xfb, 0x3f, 0xf1, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9a], [0xc2, 0x49, 1, 0, 0, 0, 0, 0, 0, 0, 0],
        [0xc3, 0x41, 0x01], [0xc4, 0x82, 0x21, 0x19, 0x6a, 0xb3], [0xc0], [0xd5], [0xd6], [0xd7],
        [0x18, 0xff], [0x19, 0xff, 0xff], [0x1a, 0x7f, 0xff, 0xff, 0xff], [0x1b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        [0x3b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], [0x20], [0x38, 0x63], [0xd8, 0x26], [0xd9, 0xd9, 0xf7],
        [0x9b, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], [0x78, 0x10], [0x58, 0x10], [0x62, 0xc3, 0xbc], [0x62, 0xc3, 0x28],
    ];

    protected override byte[]? Nesting { get; } = [0x81];

    public override ulong Run(byte[] input)
    {
        bool isSkipped = UntrustedCborReader.TryRead(input, Skip, out _, out ContentFault fault);
        Check(isSkipped || (fault.Offset <= input.Length && fault.Message.Length > 0), "skip", "Position or fault");

        // Numbers of one byte each become a few characters and a string of their own; a level of nesting must not copy what lies in it once
        // more, but has a frame of the reader, and the exception of a fault below it has one too.
        BeginMeter(factor: 512, WithException);
        bool isShown = CborDiagnostics.TryFormat(input, out string text, out fault);
        EndMeter(input.Length, "Diagnostic notation");
        Check(isShown || fault.Offset <= input.Length, "diagnostic", $"{fault}");
        if (IsPlanted("memory") && isShown && text.Contains("undefined"))
        {
            BeginMeter();
            GC.KeepAlive(new byte[input.Length * 10_000]);
            EndMeter(input.Length, "planted");
        }

        // What is laid out over several lines has the same characters, but for blanks.
        bool isFolded = CborDiagnostics.TryFormat(input, out string folded, out _, width: 16, isSequence: true);
        Check(!isShown || (isFolded && WithoutBlanks(folded).SequenceEqual(WithoutBlanks(text))), "diagnostic",
            "Laid out it is something else.");
        ulong signature = FuzzRandom.Mix((isSkipped ? 1u : 0) | (isShown ? 2u : 0), (ulong)(fault.Message?.Length ?? 0));
        signature = FuzzRandom.Mix(signature, CheckJson(input));
        return FuzzRandom.Mix(signature, (ulong)Math.Min(text.Length, 24));
    }

    private static bool Skip(CborReader reader)
    {
        reader.Skip();
        return true;
    }

    private static ulong CheckJson(byte[] input)
    {
        ArrayBufferWriter<byte> json = new();
        if (!CborToJson.TryConvert(input, json, out ContentFault fault))
        {
            Check(fault.Message is { Length: > 0 }, "json", "No fault is told.");
            return (ulong)fault.Message.Length;
        }

        // What is converted is JSON, and goes there and back without change from then on.
        byte[] first = json.WrittenSpan.ToArray();
        JsonDocument document;
        try
        {
            document = JsonDocument.Parse(first);
        }
        catch (JsonException exception)
        {
            throw new FuzzFailureException("json", $"{Encoding.UTF8.GetString(first)} is no JSON: {exception.Message}");
        }

        using (document)
        {
            byte[] cbor;
            try
            {
                cbor = JsonToCbor.Convert(document.RootElement);
            }
            catch (JsonException exception) when (exception.Message.Contains("range of a double"))
            {
                // A decimal fraction of CBOR may be larger than any number that JSON has for certain.
                return 999;
            }
            catch (JsonException exception)
            {
                throw new FuzzFailureException("json", $"{Encoding.UTF8.GetString(first)} cannot be CBOR again: {exception.Message}");
            }

            ArrayBufferWriter<byte> again = new();
            Check(CborToJson.TryConvert(cbor, again, out fault), "json", $"What was written is no CBOR: {fault}");
            using JsonDocument second = JsonDocument.Parse(again.WrittenMemory);
            CheckStable(JsonToCbor.Convert(second.RootElement));
            return 1000 + (ulong)document.RootElement.ValueKind;
        }
    }

    /// <summary>
    /// A number with a fraction may be rounded to one without, which is an integer from then on; nothing else changes, and that only once.
    /// </summary>
    public static void CheckStable(byte[] cbor)
    {
        ArrayBufferWriter<byte> json = new();
        Check(CborToJson.TryConvert(cbor, json, out ContentFault fault), "json", $"What was written is no CBOR: {fault}");
        using JsonDocument document = JsonDocument.Parse(json.WrittenMemory);
        Check(JsonToCbor.Convert(document.RootElement).AsSpan().SequenceEqual(cbor), "json",
            $"{Convert.ToHexStringLower(cbor)} became {Encoding.UTF8.GetString(json.WrittenSpan)}.");
    }

    private static IEnumerable<char> WithoutBlanks(string text) => text.Where(c => c is not (' ' or '\n' or ','));
}
