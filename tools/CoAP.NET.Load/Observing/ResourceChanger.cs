using System.Globalization;
using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Observing;

/// <summary>
/// Changes the observed resource with PUT: a number that grows by one each time. One change at a time, so that they cannot overtake each
/// other.
/// </summary>
internal sealed class ResourceChanger(LoadPlan plan, ICoapClient client, ObserveFigures figures)
{
    /// <summary>The last known number of the resource; null for none.</summary>
    public long? Last { get; private set; }

    /// <summary>Reads the number from the resource, to continue after an earlier run.</summary>
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

    /// <summary>Makes changes at the plan's rate until cancellation.</summary>
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

            // A server that is slow to answer a change delays the next ones, which count from their due time. A late timer of our own does
            // not count.
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

            // Not cancelled at the end: the result of the change must be known.
            CoapResponse response = await client.SendAsync(request, CancellationToken.None).ConfigureAwait(false);
            if (response.IsSuccess)
            {
                Last = number;
                return;
            }

            figures.AddError("change: " + FailureNames.Of(response.Code));
        }
        catch (CoapTimeoutException)
        {
            figures.AddLost();
        }
        catch (CoapException exception)
        {
            figures.AddError("change: " + FailureNames.Of(exception));
        }

        figures.FailChange(number);
    }

    private CoapRequest New(CoapMethod method) => new(method, plan.Uri) { Timeout = TimeSpan.FromSeconds(plan.TimeoutSeconds) };
}
