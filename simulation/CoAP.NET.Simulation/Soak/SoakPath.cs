using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Simulation.Soak;

/// <summary>A path that loses datagrams: a Dataflow block on each side of a client's Transport stage.</summary>
internal sealed class SoakPath(double loss, SoakDice dice)
{
    private long _passed;
    private long _lost;
    private volatile bool _isHealed;

    /// <summary>Datagrams that passed.</summary>
    public long Passed => Interlocked.Read(ref _passed);

    /// <summary>Datagrams that were lost.</summary>
    public long Lost => Interlocked.Read(ref _lost);

    /// <summary>From here on nothing is lost.</summary>
    public void Heal() => _isHealed = true;

    /// <summary>Puts the path between an endpoint and its sockets.</summary>
    public void Insert(CoapPipelineOptions pipeline) =>
        pipeline.Insert(CoapStageLinks.TransportToChannel, Make).Insert(CoapStageLinks.ChannelToTransport, Make);

    private TransformManyBlock<CoapDatagram, CoapDatagram> Make() => new(Pass);

    private CoapDatagram[] Pass(CoapDatagram datagram)
    {
        if (_isHealed || dice.Next() >= loss)
        {
            Interlocked.Increment(ref _passed);
            return [datagram];
        }

        Interlocked.Increment(ref _lost);
        datagram.Dispose();
        return [];
    }
}
