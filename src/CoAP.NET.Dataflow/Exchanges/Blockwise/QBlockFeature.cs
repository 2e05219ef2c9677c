using CoAP.NET.Requests;

namespace CoAP.NET.Blockwise;

/// <summary>Q-Block1 and Q-Block2 (RFC 9177), which are a package of their own.</summary>
internal abstract class QBlockFeature
{
    /// <summary>The peers with which the options are used.</summary>
    public abstract QBlockPeers Peers { get; }

    /// <summary>Creates the part of the server for one shard.</summary>
    public abstract QBlockServer MakeServer(CoapShard shard, BodyLayer bodies, AnswerKeeper keeper);

    /// <summary>Creates the step of the client.</summary>
    public abstract RequestStep MakeStep(CoapEnvironment environment, RequestSender sender);
}
