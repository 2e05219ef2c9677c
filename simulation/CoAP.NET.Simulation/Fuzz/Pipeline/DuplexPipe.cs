using System.IO.Pipelines;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// The two ends of a connection in memory; what is written is read on the thread that writes, where nothing keeps it from that.
/// </summary>
internal sealed class DuplexPipe : IDuplexPipe
{
    private DuplexPipe(PipeReader input, PipeWriter output)
    {
        Input = input;
        Output = output;
    }

    public PipeReader Input { get; }

    public PipeWriter Output { get; }

    public static (DuplexPipe Ours, DuplexPipe Theirs) Make()
    {
        PipeOptions options = new(readerScheduler: PipeScheduler.Inline, writerScheduler: PipeScheduler.Inline, pauseWriterThreshold: 0,
            useSynchronizationContext: false);
        Pipe there = new(options);
        Pipe back = new(options);
        return (new DuplexPipe(back.Reader, there.Writer), new DuplexPipe(there.Reader, back.Writer));
    }
}
