using System.Globalization;

namespace CoAP.NET.Cli.Bench;

/// <summary>
/// Changes the observed resource by PUT: a number that grows by one each time. One change at a time, as otherwise they could overtake each
/// other.
/// </summary>
/// <param name="plan">What is done.</param>
/// <param name="client">Who sends.</param>
/// <param name="figures">Where it is counted.</param>
internal sealed class ResourceChanger(LoadPlan plan, ICoapRequester client, ObserveFigures figures)
{
    /// <summary>The number that the resource is known to have had last; null when it had none yet.</summary>
    public long? Last { get; private set; }

    /// <summary>Reads the number from the resource. What an earlier run left there is gone on from.</summary>
    public async Task ReadAsync(CancellationToken cancellationToken)
    {
        try
        {
            CoapResponse response = await client.SendAsync(New(CoapMethod.Get), cancellationToken).ConfigureAwait(false);
            Last = response.IsSuccess ? PeerObserver.NumberOf(response) : null;
        }
        catch (Exception exception) when (exception is CoapException or OperationCanceledException)
        {
            Last = null;
        }
    }

    /// <summary>Makes changes at the plan's rate until it is stopped.</summary>
    public async Task RunAsync(CancellationToken stop)
    {
        TimeProvider clock = TimeProvider.System;
        double interval = clock.TimestampFrequency / plan.Rate;
        long number = Last ?? 0;
        long first = clock.GetTimestamp();
        long answered = first;
        for (long i = 0; ; i++)
        {
            long due = first + (long)(i * interval);
            long now = clock.GetTimestamp();
            if (due > now)
            {
                await Task.Delay(clock.GetElapsedTime(now, due), clock, stop).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }

            if (stop.IsCancellationRequested)
            {
                return;
            }

            // A server that is slow to take a change delays the next ones, which count from when they were due. A timer of ours that is
            // late does not count.
            long begun = answered > due ? due : clock.GetTimestamp();
            await ChangeAsync(++number, begun).ConfigureAwait(false);
            answered = clock.GetTimestamp();
        }
    }

    private async Task ChangeAsync(long number, long begun)
    {
        figures.BeginChange(number, begun);
        try
        {
            CoapRequest request = New(CoapMethod.Put);
            request.Content = CoapContent.Text(number.ToString(CultureInfo.InvariantCulture));

            // Not cancelled at the end: whether it was made must be known.
            CoapResponse response = await client.SendAsync(request, CancellationToken.None).ConfigureAwait(false);
            if (response.IsSuccess)
            {
                Last = number;
                return;
            }

            figures.AddError("change: " + ErrorKind.Of(response.Code));
        }
        catch (CoapTimeoutException)
        {
            figures.AddLost();
        }
        catch (CoapException exception)
        {
            figures.AddError("change: " + ErrorKind.Of(exception));
        }

        figures.FailChange(number);
    }

    private CoapRequest New(CoapMethod method) => new(method, plan.Uri) { Timeout = TimeSpan.FromSeconds(plan.TimeoutSeconds) };
}
