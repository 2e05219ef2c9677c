namespace Hosting;

/// <summary>Uses the client once, when all is started.</summary>
internal sealed partial class RoomWorker(RoomClient room, ILogger<RoomWorker> logger) : BackgroundService
{
    protected override async Task ExecuteAsync(CancellationToken stoppingToken)
    {
        Told(await room.TemperatureAsync(stoppingToken));
        await room.HeatToAsync("21.5", stoppingToken);
        Told(await room.TemperatureAsync(stoppingToken));
    }

    [LoggerMessage(LogLevel.Information, "It has {Degrees} degrees.")]
    private partial void Told(string degrees);
}
