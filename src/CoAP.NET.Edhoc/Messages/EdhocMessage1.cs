using System.Formats.Cbor;
using CoAP.NET.Content.Cbor;

namespace CoAP.NET.Edhoc.Messages;

/// <summary>message_1 (RFC 9528 section 5.2.1).</summary>
internal sealed record EdhocMessage1(EdhocMethod Method, int[] Suites, byte[] PublicKey, byte[] ConnectionId, IReadOnlyList<EdhocEad> Ead)
{
    private const int MaxSuites = 32;
    private const int MaxKey = 256;

    public int Selected => Suites[^1];

    public byte[] Write()
    {
        CborWriter writer = CborNumberWriter.Create();
        writer.WriteInt32((int)Method);
        SuiteList.Write(writer, Suites);
        return [.. writer.Encode(), .. CborItemEncoder.Item(PublicKey), .. Identifiers.Item(ConnectionId), .. EadItems.Write(Ead)];
    }

    /// <summary>Reads it without the external authorization data, whose critical items matter only after the check of the suite.</summary>
    public static EdhocMessage1 Read(ref SequenceReader reader, int maxIdentifier)
    {
        int method = reader.ReadInt("METHOD");
        int[] suites = SuiteList.Read(ref reader, MaxSuites);
        ReadOnlySpan<byte> key = reader.ReadBytes("G_X");
        if (key.IsEmpty || key.Length > MaxKey)
        {
            throw reader.Fault("has an ephemeral key of a wrong length");
        }

        byte[] ephemeral = key.ToArray();
        byte[] identifier = reader.ReadIdentifier("C_I");
        return identifier.Length <= maxIdentifier
            ? new EdhocMessage1((EdhocMethod)method, suites, ephemeral, identifier, [])
            : throw reader.Fault($"has a connection identifier of more than {maxIdentifier} bytes");
    }
}
