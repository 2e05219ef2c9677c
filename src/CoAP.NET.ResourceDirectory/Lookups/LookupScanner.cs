using System.Buffers;
using CoAP.NET.Guarding;

namespace CoAP.NET.ResourceDirectory.Lookups;

/// <summary>
/// Executes lookups without an index, such as those by the prefix of a target. They scan many registrations in steps, one step at a time
/// across all lookups. They therefore use at most one processor, and none blocks the others. Pending ones are limited in total and per
/// source. Thread-safe.
/// </summary>
internal sealed class LookupScanner(LookupExecutor run, CoapDirectoryOptions options)
{
    private readonly SourceQuota _places = new(options.Limits.MaxScans, options.Limits.MaxScansPerSource);

    /// <summary>Its holder executes a step.</summary>
    public SemaphoreSlim Turn { get; } = new(1);

    /// <summary>The current number of such lookups.</summary>
    public int InProgress => _places.Count;

    /// <summary>Executes the remaining steps of a lookup.</summary>
    /// <param name="source">The requesting source.</param>
    /// <param name="lookup">The lookup.</param>
    /// <param name="linkTag">The network link of the client; 0 for an unknown one.</param>
    /// <param name="answer">Receives the links.</param>
    /// <param name="progress">Its progress.</param>
    /// <param name="cancellationToken">Cancels it.</param>
    /// <returns>The reason why there is no response; <see cref="LookupFault.TooMuchWork"/> if all places are taken.</returns>
    public async ValueTask<LookupFault> FinishAsync(CoapQuotaSource source, Lookup lookup, ulong linkTag, ArrayBufferWriter<byte> answer,
        LookupProgress progress, CancellationToken cancellationToken)
    {
        if (!_places.TryEnter(source))
        {
            return LookupFault.TooMuchWork;
        }

        try
        {
            LookupFault fault = LookupFault.TooMuchWork;
            while (fault == LookupFault.TooMuchWork)
            {
                // The queue is first in, first out, and each lookup queues again after a step.
                await Turn.WaitAsync(cancellationToken).ConfigureAwait(false);
                try
                {
                    fault = run.Continue(lookup, linkTag, answer, progress, out _);
                }
                finally
                {
                    Turn.Release();
                }

                if (fault == LookupFault.TooMuchWork)
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
