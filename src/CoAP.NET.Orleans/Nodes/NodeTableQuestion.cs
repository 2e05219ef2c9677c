using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Tables;
using CoAP.NET.Tables;

namespace CoAP.NET.Orleans.Nodes;

/// <summary><see cref="TableQuestion"/> between silos.</summary>
/// <param name="Node">The node that asks.</param>
/// <param name="Table">The table.</param>
/// <param name="Key">The key of the entry.</param>
/// <param name="Content">The question to the rules.</param>
[GenerateSerializer, Immutable, Alias("coap.node.table-question")]
internal sealed record NodeTableQuestion(
    [property: Id(0)] Guid Node, [property: Id(1)] byte Table, [property: Id(2)] byte[] Key, [property: Id(3)] ReadOnlyMemory<byte> Content)
{
    public static NodeTableQuestion Of(TableQuestion question) =>
        new(question.Node.Value, (byte)question.Table, question.Key.Bytes.ToArray(), question.Content);

    public TableQuestion ToQuestion() => new(new CoapNodeId(Node), (CoapRecordKind)Table, new CoapTableKey(Key), Content);
}

/// <summary><see cref="TableAnswer"/> between silos.</summary>
/// <param name="Kind">What it is.</param>
/// <param name="Reply">The reply of the rules.</param>
/// <param name="Why">The description of a failure.</param>
/// <param name="Reason">Why the table is unavailable.</param>
/// <param name="RetryAfter">When to ask again.</param>
/// <param name="IsOutcomeUnknown">Whether the question may have been decided.</param>
[GenerateSerializer, Immutable, Alias("coap.node.table-answer")]
internal sealed record NodeTableAnswer(
    [property: Id(0)] byte Kind, [property: Id(1)] ReadOnlyMemory<byte> Reply, [property: Id(2)] string Why,
    [property: Id(3)] byte Reason, [property: Id(4)] TimeSpan RetryAfter, [property: Id(5)] bool IsOutcomeUnknown)
{
    public static NodeTableAnswer Of(TableAnswer answer) =>
        new((byte)answer.Kind, answer.Reply, answer.Why, (byte)answer.Reason, answer.RetryAfter, answer.IsOutcomeUnknown);

    public TableAnswer ToAnswer() => new((TableAnswerKind)Kind)
    {
        Reply = Reply,
        Why = Why,
        Reason = (CoapTableUnavailableReason)Reason,
        RetryAfter = RetryAfter,
        IsOutcomeUnknown = IsOutcomeUnknown,
    };
}
