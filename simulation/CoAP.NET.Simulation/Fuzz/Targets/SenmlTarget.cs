namespace CoAP.NET.Simulation.Fuzz;

/// <summary>SenML in JSON or CBOR (RFC 8428): what is read is written so that it is read again as the same, in both.</summary>
internal sealed class SenmlTarget(bool isCbor) : ContentTarget
{
    private static readonly byte[][] s_cborWords = [.. CborTarget.CborWords, [0x21], [0x22], [0x23], [0x24], [0x25], [0x00], [0x01], [0x02],
        [0x03], [0x04], [0x05], [0x06], [0x07], [0x08], .. Words("bver_", "vs")];
    private static readonly byte[][] s_jsonWords = Words(
        "{", "}", "[", "]", ",", ":", "\"bn\":\"urn:dev:ow:10e2073a01080063:\"", "\"bt\":1.276020076001e+09", "\"bu\":\"A\"", "\"bver\":5",
        "\"n\":\"voltage\"", "\"u\":\"V\"", "\"v\":120.1", "\"vs\":\"a\"", "\"vb\":true", "\"vd\":\"YWJj\"",
        "\"s\":1", "\"t\":-5", "\"ut\":10", "\"x_\":1", "null", "1e999", "\\ud800", "\\u0000", "-0", "\"bs\":1", "\"bv\":1");

    private readonly CoapContentFormat _format = isCbor ? CoapContentFormat.SenmlCbor : CoapContentFormat.SenmlJson;

    public override int Share => 400;

    public override IReadOnlyList<byte[]> Dictionary => isCbor ? s_cborWords : s_jsonWords;

    protected override byte[]? Nesting { get; } = isCbor ? [0x81] : "["u8.ToArray();

    public override ulong Run(byte[] input)
    {
        BeginMeter(factor: 512, WithException);
        bool isRead = CoapSenmlPack.TryParse(input, _format, out CoapSenmlPack? pack, out CoapContentSyntaxError error);
        EndMeter(input.Length, "Reading SenML");
        if (pack is null)
        {
            Check(!isRead && error.Offset >= 0 && error.Offset <= input.Length && error.Message.Length > 0, "error",
                $"{error} for {input.Length} B.");
            return (ulong)error.Message.Length;
        }

        ulong signature = (ulong)pack.Count;
        foreach (CoapContentFormat format in (ReadOnlySpan<CoapContentFormat>)[CoapContentFormat.SenmlJson, CoapContentFormat.SenmlCbor])
        {
            byte[] written = pack.ToBytes(format);
            Check(CoapSenmlPack.TryParse(written, format, out CoapSenmlPack? again, out error), "written",
                $"It was written as {Convert.ToHexStringLower(written)} and is none: {error}");
            Check(again!.ToString() == pack.ToString() && again.ToBytes(format).AsSpan().SequenceEqual(written), "written",
                $"{pack} is read as {again}.");
        }

        CoapSenmlPack resolved = pack.Resolve(DateTimeOffset.UnixEpoch.AddYears(60));
        Check(resolved.Count <= pack.Count, "resolved", "More records than there were.");
        foreach (CoapSenmlRecord record in resolved)
        {
            _ = record.Timestamp;
            signature = FuzzRandom.Mix(signature,
                (record.Value is null ? 0u : 1u) | (record.StringValue is null ? 0u : 2u) | (record.DataValue is null ? 0u : 4u)
                    | (record.Sum is null ? 0u : 8u));
        }

        return signature;
    }
}
