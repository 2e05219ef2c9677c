namespace CoAP.NET.Blockwise;

/// <summary>
/// The block-wise bodies (RFC 7959) of a server for the peers of one shard. A state machine: every method is called under Shard.Gate.
/// </summary>
internal sealed class BodyLayer : IPeerState
{
    public BodyLayer(CoapShard shard, BodyMemory memory)
    {
        Requests = new RequestBodies(shard, memory.Requests);
        Uploads = new BlockUploads(shard, Requests);
        Answers = new AnswerStore(shard, memory.Responses);
    }

    /// <summary>Bodies of requests, however they come.</summary>
    public RequestBodies Requests { get; }

    /// <summary>Bodies of requests that come by Block1.</summary>
    public BlockUploads Uploads { get; }

    /// <summary>Answers that peers fetch block by block.</summary>
    public AnswerStore Answers { get; }

    /// <summary>Bodies of requests that are not complete yet.</summary>
    public int Count => Requests.Table.Count;

    /// <summary>Bodies of a peer's requests that are not complete yet.</summary>
    public int CountOf(CoapChannel channel) => Requests.Table.CountOf(channel);

    /// <summary>
    /// Whether a peer is gone for good, so that nothing may be kept for it: its connection has ended. One that was forgotten for lack of
    /// room may come back.
    /// </summary>
    public static bool HasEnded(CoapChannel channel) => channel is { IsConnection: true, IsForgotten: true };

    // Bodies pin nothing: a peer that must go takes its unfinished ones with it.
    bool IPeerState.CanForget(CoapChannel channel, long now) => true;

    bool IPeerState.IsQuiet(CoapChannel channel) => CountOf(channel) == 0;

    /// <summary>The peer was forgotten, and with it what it had not finished.</summary>
    public void Forget(CoapChannel channel)
    {
        string reason = channel.IsConnection ? "The connection has ended." : "The peer was forgotten for lack of room.";
        Requests.Table.AllOf(channel).ForEach(entry => Requests.GiveUp(entry, reason));
        Answers.Forget(channel);
    }

    /// <summary>Ends all bodies because the endpoint stops: their readers are informed.</summary>
    public void Stop()
    {
        Requests.Table.All().ForEach(entry => Requests.GiveUp(entry, "The endpoint was stopped."));
        Answers.Clear();
    }
}
