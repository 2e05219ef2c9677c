using System.Formats.Cbor;
using CoAP.NET.Content.Cbor;
using CoAP.NET.Edhoc.Keys;
using CoAP.NET.Edhoc.Messages;

namespace CoAP.NET.Edhoc.Credentials;

/// <summary>A CWT Claims Set (RFC 8392) with a COSE_Key as confirmation (RFC 8747).</summary>
internal sealed record CwtClaimsSet(EdhocPublicKey Key, byte[]? KeyId, string? Subject)
{
    private const int MaxClaims = 64;
    private const int SubjectClaim = 2;
    private const int ConfirmationClaim = 8;

    public static CwtClaimsSet Read(ReadOnlySpan<byte> claims)
    {
        SequenceReader reader = Open(claims);
        int count = reader.ReadContainer(CborMajor.Map, "claims");
        string? subject = null;
        ReadOnlySpan<byte> key = [];
        HashSet<int> seen = [];
        for (int i = 0; i < count; i++)
        {
            int? claim = ReadLabel(ref reader, seen);
            if (claim == SubjectClaim)
            {
                subject = reader.ReadText("the subject");
            }
            else if (claim == ConfirmationClaim)
            {
                key = ReadConfirmation(reader.ReadItem());
            }
            else
            {
                reader.ReadItem();
            }
        }

        reader.End();
        return key.IsEmpty ? throw reader.Fault("has no key") : ReadKey(key, subject);
    }

    public static byte[] Write(EdhocPublicKey key, ReadOnlySpan<byte> keyId, string? subject)
    {
        CborWriter writer = CborNumberWriter.Create();
        writer.WriteStartMap(subject is null ? 1 : 2);
        if (subject is not null)
        {
            writer.WriteInt32(SubjectClaim);
            writer.WriteTextString(subject);
        }

        writer.WriteInt32(ConfirmationClaim);
        writer.WriteStartMap(1);
        writer.WriteInt32(1);
        writer.WriteStartMap(key.Y is null ? 4 : 5);
        writer.WriteInt32(1);
        writer.WriteInt32(Curves.IsNist(key.Curve) ? 2 : 1);
        writer.WriteInt32(2);
        writer.WriteByteString(keyId);
        writer.WriteInt32(-1);
        writer.WriteInt32((int)key.Curve);
        writer.WriteInt32(-2);
        writer.WriteByteString(key.X.Span);
        if (key.Y is { } y)
        {
            writer.WriteInt32(-3);
            writer.WriteByteString(y.Span);
        }

        writer.WriteEndMap();
        writer.WriteEndMap();
        writer.WriteEndMap();
        return writer.Encode();
    }

    private static SequenceReader Open(ReadOnlySpan<byte> data) => new(data, "A claims set", isStrict: false);

    private static int? ReadLabel(ref SequenceReader reader, HashSet<int> seen)
    {
        if (reader.Peek() == CborMajor.TextString)
        {
            reader.ReadText("a label");
            return null;
        }

        int label = reader.ReadInt("a label");
        return seen.Add(label) && seen.Count <= MaxClaims ? label : throw reader.Fault("has a label twice, or too many");
    }

    private static ReadOnlySpan<byte> ReadConfirmation(ReadOnlySpan<byte> confirmation)
    {
        SequenceReader reader = Open(confirmation);
        int count = reader.ReadContainer(CborMajor.Map, "a confirmation");
        ReadOnlySpan<byte> key = [];
        HashSet<int> seen = [];
        for (int i = 0; i < count; i++)
        {
            bool isKey = ReadLabel(ref reader, seen) == 1;
            ReadOnlySpan<byte> value = reader.ReadItem();
            key = isKey ? value : key;
        }

        return key;
    }

    private static CwtClaimsSet ReadKey(ReadOnlySpan<byte> key, string? subject)
    {
        SequenceReader reader = Open(key);
        int count = reader.ReadContainer(CborMajor.Map, "a COSE_Key");
        int type = 0;
        int curve = 0;
        bool isOdd = false;
        bool isCompressed = false;
        byte[]? keyId = null;
        byte[] x = [];
        byte[]? y = null;
        HashSet<int> seen = [];
        for (int i = 0; i < count; i++)
        {
            switch (ReadLabel(ref reader, seen))
            {
                case 1:
                    type = reader.ReadInt("a key type");
                    break;
                case 2:
                    keyId = reader.ReadBytes("a kid").ToArray();
                    break;
                case -1:
                    curve = reader.ReadInt("a curve");
                    break;
                case -2:
                    x = reader.ReadBytes("an x coordinate").ToArray();
                    break;
                case -3 when reader.Peek() == CborMajor.Simple:
                    isOdd = reader.ReadHead().Argument == 21;
                    isCompressed = true;
                    break;
                case -3:
                    y = reader.ReadBytes("a y coordinate").ToArray();
                    break;
                case -4:
                    throw reader.Fault("has a private key, which only its owner may have");
                default:
                    reader.ReadItem();
                    break;
            }
        }

        EdhocCurve named = (EdhocCurve)curve;
        bool isRight = Enum.IsDefined(named) && type == (Curves.IsNist(named) ? 2 : 1)
            && x.Length == Curves.KeyLength(named) && (y is null || (Curves.IsNist(named) && y.Length == x.Length));
        if (!isRight)
        {
            throw reader.Fault("has a key of an unsupported kind");
        }

        if (isCompressed && Curves.IsNist(named))
        {
            y = NistPoint.Decompress(named, x, isOdd).Y;
        }

        return new CwtClaimsSet(new EdhocPublicKey(named, x, y is null ? default(ReadOnlyMemory<byte>?) : y), keyId, subject);
    }
}
