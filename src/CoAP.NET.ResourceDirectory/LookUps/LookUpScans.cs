using System.Buffers;

namespace CoAP.NET.ResourceDirectory;

/// <summary>
/// Look-ups that no index leads to a few registrations, such as those by the beginning of a target: they go through very many of them step
/// by step, one step at a time of all look-ups, so that they keep one processor busy at most and none of them holds up the others. How many
/// are under way is bounded in all and for each source. Thread-safe.
/// </summary>
/// <param name="run">Takes the steps.</param>
/// <param name="options">The bounds.</param>
internal sealed class LookUpScans(LookUpRun run, CoapDirectoryOptions options)
{
    private readonly Lock _gate = new();
    private readonly SourcePlaces _places = new(options.MaxScans, options.MaxScansPerSource);

    /// <summary>Whoever has it takes a step.</summary>
    public SemaphoreSlim Turn { get; } = new(1);

    /// <summary>How many are under way.</summary>
    public int UnderWay
    {
        get
        {
            lock (_gate)
            {
                return _places.Taken;
            }
        }
    }

    /// <summary>Takes the rest of the steps of a look-up.</summary>
    /// <param name="source">Who asks.</param>
    /// <param name="lookUp">What is looked up.</param>
    /// <param name="linkTag">The link that the client is on; 0 where that is not known.</param>
    /// <param name="answer">Where the links go.</param>
    /// <param name="progress">How far it is.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>Why there is no answer; <see cref="LookUpFault.TooMuchWork"/> when there is no place for one more.</returns>
    public async ValueTask<LookUpFault> FinishAsync(CoapSource source, LookUp lookUp, ulong linkTag, ArrayBufferWriter<byte> answer,
        LookUpProgress progress, CancellationToken cancellationToken)
    {
        if (!TryEnter(source))
        {
            return LookUpFault.TooMuchWork;
        }

        try
        {
            LookUpFault fault = LookUpFault.TooMuchWork;
            while (fault == LookUpFault.TooMuchWork)
            {
                // Those that wait are served in the order in which they came, and each waits anew after a step.
                await Turn.WaitAsync(cancellationToken).ConfigureAwait(false);
                try
                {
                    fault = run.GoOn(lookUp, linkTag, answer, progress, out _);
                }
                finally
                {
                    Turn.Release();
                }

                // What else the server has to do comes before the next step.
                await Task.Yield();
            }

            return fault;
        }
        finally
        {
            Leave(source);
        }
    }

    /// <summary>Whether there is a place for one more of a source.</summary>
    /// <param name="source">Who asks.</param>
    public bool HasRoom(in CoapSource source)
    {
        lock (_gate)
        {
            return _places.HasRoom(source);
        }
    }

    private bool TryEnter(in CoapSource source)
    {
        lock (_gate)
        {
            return _places.TryTake(source);
        }
    }

    private void Leave(in CoapSource source)
    {
        lock (_gate)
        {
            _places.Return(source);
        }
    }
}
