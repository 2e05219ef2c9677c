using CoAP.NET.Requests;

namespace CoAP.NET.Blockwise;

/// <summary>Q-Block1 and Q-Block2 (RFC 9177), which are a package of their own.</summary>
internal abstract class QBlockFeature
{
    /// <summary>Whether the options are used with all peers, and not only with those on secured channels.</summary>
    public abstract bool AllowsUnsecured { get; }

    /// <summary>Creates the part of the server for one shard.</summary>
    public abstract QBlockServer MakeServer(CoapShard shard, BodyLayer bodies, AnswerKeeper keeper);

    /// <summary>Creates the step of the client.</summary>
    public abstract RequestStep MakeStep(CoapEnvironment environment, RequestSender sender);
}
