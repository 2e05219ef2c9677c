using CoAP.NET.Blockwise;
using CoAP.NET.Blockwise.Server;
using CoAP.NET.Requests;

namespace CoAP.NET.QBlock.Server;

/// <summary>
/// The blocks of an answer that go out after its first one, by Q-Block2 (RFC 9177 section 4.4). The timer is the pause after a set. Guarded
/// by Shard.Gate.
/// </summary>
internal sealed class QBlock2ResponseTransmission : PushedResponseBlocks, ITransmissionOwner
{
    private readonly QBlock2ResponseSender _sender;

    public QBlock2ResponseTransmission(QBlock2ResponseSender sender) => _sender = sender;

    public required CoapChannel Channel { get; init; }

    public required CoapToken Token { get; init; }

    /// <summary>Code, options of every block, the whole payload.</summary>
    public required CoapResult Whole { get; init; }

    public required int SizeExponent { get; init; }

    /// <summary>The Observe option of the body.</summary>
    public uint? Observe { get; init; }

    /// <summary>Whether all go Confirmable, one after the other.</summary>
    public bool Confirmable { get; init; }

    /// <summary>The numbers when some were asked for; null for all from <see cref="Upcoming"/> on.</summary>
    public int[]? Numbers { get; init; }

    /// <summary>The next block to send: its number, or its index in <see cref="Numbers"/>.</summary>
    public int Upcoming { get; set; }

    /// <summary>The transfer whose later sets follow; null if nothing is stored, so that the peer must request them.</summary>
    public ResponseTransfer? Transfer { get; set; }

    public int End => Numbers?.Length ?? BlockPayloadSize.CountOf(Whole.Payload.Length, SizeExponent);

    void ITransmissionOwner.OnTransmissionEnd(CoapTransmission transmission, CoapInboundKind fate)
    {
        Channel.Shard.Enter();
        try
        {
            _sender.OnSent(this, fate, Channel.Shard.Environment.Now);
        }
        finally
        {
            Channel.Shard.ExitAndSend();
        }
    }

    internal override void Fire(long now) => _sender.SendOn(this, now);
}
