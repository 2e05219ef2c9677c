using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Orleans.Hosting;
using Orleans.Runtime;

namespace CoAP.NET.Orleans.Devices;

/// <summary>Registers the devices of the silos.</summary>
internal static class SiloDeviceServiceExtensions
{
    /// <summary>Registers them: the devices of the node find those of other silos.</summary>
    public static IServiceCollection AddSiloDevices(this IServiceCollection services)
    {
        services.TryAddSingleton(TimeProvider.System);
        services.AddSingleton<CoapDeviceClient>();
        services.AddSingleton<DeviceGateway>();
        services.AddSingleton<ILifecycleParticipant<ISiloLifecycle>>(static provider => new Participant(provider));
        services.AddSingleton<SiloDeviceRouter>();
        services.AddGrainService<DeviceGrainService>();
        return services;
    }

    // The silo creates its participants before the parts that the devices need.
    private sealed class Participant(IServiceProvider services) : ILifecycleParticipant<ISiloLifecycle>
    {
        public void Participate(ISiloLifecycle lifecycle) =>
            lifecycle.Subscribe(nameof(DeviceGateway), ServiceLifecycleStage.Active, OnStart, OnStop);

        private Task OnStart(CancellationToken cancellationToken)
        {
            services.GetRequiredService<DeviceGateway>().Start(services.GetRequiredService<SiloDeviceRouter>());
            return Task.CompletedTask;
        }

        private Task OnStop(CancellationToken cancellationToken)
        {
            services.GetRequiredService<DeviceGateway>().Stop();
            return Task.CompletedTask;
        }
    }
}
