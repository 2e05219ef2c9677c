using System.Buffers;
using CoAP.NET.Guarding;

namespace CoAP.NET.ResourceDirectory.LookUps;

/// <summary>
/// Executes look-ups without an index, such as those by the prefix of a target. They scan many registrations in steps, one step at a time
/// across all look-ups. They therefore use at most one processor, and none blocks the others. Pending ones are limited in total and per
/// source. Thread-safe.
/// </summary>
internal sealed class LookUpScanner(LookUpExecutor run, CoapDirectoryOptions options)
{
    private readonly SourceQuota _places = new(options.Limits.MaxScans, options.Limits.MaxScansPerSource);

    /// <summary>Its holder executes a step.</summary>
    public SemaphoreSlim Turn { get; } = new(1);

    /// <summary>The current number of such look-ups.</summary>
    public int InProgress => _places.Count;

    /// <summary>Executes the remaining steps of a look-up.</summary>
    /// <param name="source">The requesting source.</param>
    /// <param name="lookUp">The look-up.</param>
    /// <param name="linkTag">The network link of the client; 0 for an unknown one.</param>
    /// <param name="answer">Receives the links.</param>
    /// <param name="progress">Its progress.</param>
    /// <param name="cancellationToken">Cancels it.</param>
    /// <returns>The reason why there is no response; <see cref="LookUpFault.TooMuchWork"/> if all places are taken.</returns>
    public async ValueTask<LookUpFault> FinishAsync(CoapQuotaSource source, LookUp lookUp, ulong linkTag, ArrayBufferWriter<byte> answer,
        LookUpProgress progress, CancellationToken cancellationToken)
    {
        if (!_places.TryEnter(source))
        {
            return LookUpFault.TooMuchWork;
        }

        try
        {
            LookUpFault fault = LookUpFault.TooMuchWork;
            while (fault == LookUpFault.TooMuchWork)
            {
                // The queue is first in, first out, and each look-up queues again after a step.
                await Turn.WaitAsync(cancellationToken).ConfigureAwait(false);
                try
                {
                    fault = run.Continue(lookUp, linkTag, answer, progress, out _);
                }
                finally
                {
                    Turn.Release();
                }

                if (fault == LookUpFault.TooMuchWork)
                {
                    // Other work of the server comes before the next step.
                    await Task.Yield();
                }
            }

            return fault;
        }
        finally
        {
            _places.Exit(source);
        }
    }

    public bool HasCapacity(in CoapQuotaSource source) => _places.HasCapacity(source);
}
