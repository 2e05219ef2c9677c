using System.Buffers.Binary;
using System.Text;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Cluster.Tables;

/// <summary>
/// Formats questions between nodes, and their answers. An answer begins with its kind, and numbers are in network byte order.
/// </summary>
internal static class TableMessageSerializer
{
    private const byte IsReply = 0;
    private const byte IsElsewhere = 1;
    private const byte IsFailed = 2;
    private const byte IsUnavailable = 3;
    private const int HeaderLength = 3 + sizeof(int);

    /// <summary>The answer of a node that does not own the slot any more.</summary>
    public static byte[] Moved => [IsElsewhere];

    public static byte[] QuestionOf(CoapRecordKind kind, CoapTableKey key, ReadOnlySpan<byte> question) =>
        [(byte)kind, (byte)key.Bytes.Length, .. key.Bytes, .. question];

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
        return question.Length <= CoapReplicatedTable.MaxQuestionLength;
    }

    /// <summary>Creates the answer for a reply of the rules.</summary>
    public static byte[] Of(ReadOnlyMemory<byte> reply) => [IsReply, .. reply.Span];

    public static byte[] Failed(string why) => [IsFailed, .. Encoding.UTF8.GetBytes(why)];

    /// <summary>Creates the answer for an unavailable table.</summary>
    public static byte[] Of(CoapTableUnavailableException exception)
    {
        byte[] answer = new byte[HeaderLength + Encoding.UTF8.GetByteCount(exception.Message)];
        (answer[0], answer[1], answer[2]) = (IsUnavailable, (byte)exception.Reason, exception.IsOutcomeUnknown ? (byte)1 : (byte)0);
        BinaryPrimitives.WriteInt32BigEndian(answer.AsSpan(3), (int)exception.RetryAfter.GetValueOrDefault().TotalMilliseconds);
        Encoding.UTF8.GetBytes(exception.Message, answer.AsSpan(HeaderLength));
        return answer;
    }

    /// <summary>Reads an answer.</summary>
    /// <returns>The reply of the rules; null if the node does not own the slot.</returns>
    /// <exception cref="CoapTableUnavailableException">The owner has no answer.</exception>
    /// <exception cref="CoapException">The rules failed there.</exception>
    public static ReadOnlyMemory<byte>? Read(byte[] answer, PendingTableRequest asking) => answer switch
    {
        [IsReply, ..] => (ReadOnlyMemory<byte>?)answer.AsMemory(1),
        [IsFailed, ..] => throw new CoapException($"The owner of slot {asking.Key.Slot} failed: {TextOf(answer, 1)}"),
        { Length: >= HeaderLength } and [IsUnavailable, ..] => throw new CoapTableUnavailableException(
            (CoapTableUnavailableReason)answer[1],
            TimeSpan.FromMilliseconds(BinaryPrimitives.ReadInt32BigEndian(answer.AsSpan(3))), TextOf(answer, HeaderLength))
        {
            IsOutcomeUnknown = answer[2] != 0 || asking.IsOutcomeUnknown,
        },
        _ => null,
    };

    private static string TextOf(byte[] answer, int start) => CoapUntrustedText.LineOf(Encoding.UTF8.GetString(answer.AsSpan(start)));
}
