using CoAP.NET;

namespace Hosting;

/// <summary>What the resources show: a room that takes its time to get warm.</summary>
internal sealed class Thermometer(CoapServer server, TimeProvider time)
{
    private double _degrees = 19;

    public double Read() => Volatile.Read(ref _degrees);

    public async Task HeatToAsync(double degrees, CancellationToken cancellationToken)
    {
        await Task.Delay(TimeSpan.FromSeconds(2), time, cancellationToken);
        Volatile.Write(ref _degrees, degrees);
        server.Notify("/temperature");
    }
}
