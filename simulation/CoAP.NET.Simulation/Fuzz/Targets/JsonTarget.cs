using System.Text.Json;
using CoAP.NET.Content.Cbor;
using CoAP.NET.Messages;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// JSON as CBOR, merge patches (RFC 7396), and the names of Content-Formats. The document that is patched and the patch are parted by a
/// byte 0.
/// </summary>
internal sealed class JsonTarget : ContentTarget
{
    public override int Share => 500;

    public override IReadOnlyList<byte[]> Dictionary { get; } = Words(
        "{", "}", "[", "]", ",", ":", "\"a\"", "\"a\":", "null", "true", "1e308", "1e999", "-0", "0.1", "18446744073709551616", "\\ud800",
        "\\u00e9", "\u00c3\u00a9", "\u00ff", "\0", "{\"a\":{\"b\":null}}",
        "application/", "text/plain", ";charset=utf-8", "; cose-type=\"cose-sign\"", "\"", "\\", ";", "/", "=", "*",
        "application/senml+json");

    protected override byte[]? Nesting { get; } = "["u8.ToArray();

    public override ulong Run(byte[] input)
    {
        int cut = Array.IndexOf(input, (byte)0);
        byte[] first = cut < 0 ? input : input[..cut];
        ulong signature = CheckName(Encoding.Latin1.GetString(first));
        signature = FuzzRandom.Mix(signature, CheckCbor(first));
        return cut < 0 ? signature : FuzzRandom.Mix(signature, CheckPatch(first, input[(cut + 1)..]));
    }

    private ulong CheckName(string text)
    {
        BeginMeter(factor: 96);
        string? normal = MediaTypeNormalizer.Normalize(text);
        EndMeter(text.Length, "A media type");
        bool isKnown = CoapContentFormat.TryFromMediaType(text, out CoapContentFormat format);
        Check(!isKnown || (normal is not null && CoapContentFormat.TryFromMediaType(format.MediaType, out CoapContentFormat same)
            && same == format), "name", $"'{text}' is {format}.");
        return normal is null ? 0 : isKnown ? 2u + format.Value : 1u;
    }

    private static ulong CheckCbor(byte[] input)
    {
        byte[] cbor;
        try
        {
            using JsonDocument document = JsonDocument.Parse(input);
            cbor = JsonToCbor.Convert(document.RootElement);
        }
        catch (JsonException)
        {
            return 0;
        }

        System.Buffers.ArrayBufferWriter<byte> json = new();
        Check(CborToJson.TryConvert(cbor, json, out ContentFault fault), "cbor",
            $"{Encoding.Latin1.GetString(input)} became CBOR that is none: {fault}");
        using JsonDocument again = JsonDocument.Parse(json.WrittenMemory);
        CborTarget.CheckStable(JsonToCbor.Convert(again.RootElement));
        return 1 + (ulong)again.RootElement.ValueKind;
    }

    private static ulong CheckPatch(byte[] target, byte[] patch)
    {
        try
        {
            byte[] patched = CoapMergePatch.Apply(target, patch);

            // A merge patch is idempotent (RFC 8132 section 3.1).
            Check(CoapMergePatch.Apply(patched, patch).AsSpan().SequenceEqual(patched), "patch", "Applied twice it does something else.");
            return 1 + (ulong)Math.Min(patched.Length, 16);
        }
        catch (JsonException)
        {
            return 0;
        }
    }
}
