using System.Buffers.Binary;
using System.Text;

namespace CoAP.NET.Cluster;

/// <summary>Formats questions between nodes, and their answers.</summary>
internal static class TableReply
{
    private const byte IsElsewhere = 255;
    private const int HeaderLength = 2 + sizeof(int);

    /// <summary>Creates a question.</summary>
    public static CoapRequest QuestionOf(CoapRecordKind kind, CoapTableKey key, ReadOnlySpan<byte> question)
    {
        CoapRequest request = new(CoapMethod.Post, ClusterTables.AskPath);
        byte[] payload = new byte[2 + key.Bytes.Length + question.Length];
        (payload[0], payload[1]) = ((byte)kind, (byte)key.Bytes.Length);
        key.Bytes.CopyTo(payload.AsSpan(2));
        question.CopyTo(payload.AsSpan(2 + key.Bytes.Length));
        request.Message.Payload = payload;
        return request;
    }

    /// <summary>Reads a question.</summary>
    public static bool TryReadQuestion(
        ReadOnlyMemory<byte> payload, out CoapRecordKind kind, out CoapTableKey key, out ReadOnlyMemory<byte> question)
    {
        (kind, key, question) = (default, default, default);
        if (payload.Length < 2 || payload.Span[1] is 0 or > CoapTableKey.MaxLength || payload.Length < 2 + payload.Span[1])
        {
            return false;
        }

        kind = (CoapRecordKind)payload.Span[0];
        key = new CoapTableKey(payload.Span.Slice(2, payload.Span[1]));
        question = payload[(2 + payload.Span[1])..];
        return question.Length <= CoapTable.MaxQuestionLength;
    }

    /// <summary>Creates the answer for a reply of the rules.</summary>
    public static CoapResult Of(ReadOnlyMemory<byte> reply) => new(CoapCode.Content, reply, CoapContentFormat.OctetStream);

    /// <summary>Creates the answer for a failure of the rules.</summary>
    public static CoapResult Failed(string why) => new(CoapCode.InternalServerError, Encoding.UTF8.GetBytes(why));

    /// <summary>Creates the answer for a slot of another node.</summary>
    public static CoapResult Moved() => new(CoapCode.ServiceUnavailable, new[] { IsElsewhere }, CoapContentFormat.OctetStream);

    /// <summary>Creates the answer for an unavailable table.</summary>
    public static CoapResult Of(CoapTableUnavailableException exception)
    {
        byte[] text = Encoding.UTF8.GetBytes(exception.Message);
        byte[] payload = new byte[HeaderLength + text.Length];
        (payload[0], payload[1]) = ((byte)exception.Fault, exception.IsOutcomeUnknown ? (byte)1 : (byte)0);
        BinaryPrimitives.WriteInt32BigEndian(payload.AsSpan(2), (int)exception.RetryAfter.TotalMilliseconds);
        text.CopyTo(payload.AsSpan(HeaderLength));
        return new CoapResult(CoapCode.ServiceUnavailable, payload, CoapContentFormat.OctetStream);
    }

    /// <summary>Reads why an owner has no answer; null if it is not the owner.</summary>
    public static CoapTableUnavailableException? TryRead(CoapResponse response, TableAsking asking)
    {
        ReadOnlySpan<byte> payload = response.Payload.Span;
        return payload.Length < HeaderLength || payload[0] == IsElsewhere
            ? null
            : new CoapTableUnavailableException((CoapTableFault)payload[0],
                TimeSpan.FromMilliseconds(BinaryPrimitives.ReadInt32BigEndian(payload[2..])),
                CoapForeignText.LineOf(Encoding.UTF8.GetString(payload[HeaderLength..])))
            {
                IsOutcomeUnknown = payload[1] != 0 || asking.IsOutcomeUnknown,
            };
    }
}
