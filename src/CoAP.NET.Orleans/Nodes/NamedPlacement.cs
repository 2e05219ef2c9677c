using Microsoft.Extensions.DependencyInjection;
using Orleans.Metadata;
using Orleans.Runtime;
using Orleans.Runtime.Hosting;
using Orleans.Runtime.Placement;

namespace CoAP.NET.Orleans.Nodes;

/// <summary>A placement that has a fixed name at other silos. Orleans would send them the name of its type.</summary>
/// <param name="name">The name.</param>
internal abstract class NamedPlacement(string name) : PlacementStrategy
{
    /// <summary>Registers a placement by its name, and what places the grains.</summary>
    public static void Add<TPlacement, TDirector>(IServiceCollection services)
        where TPlacement : NamedPlacement, new()
        where TDirector : class, IPlacementDirector
    {
        services.AddPlacementDirector<TPlacement, TDirector>();
        services.AddKeyedSingleton<PlacementStrategy, TPlacement>(new TPlacement().Name);
    }

    /// <inheritdoc/>
    public override void PopulateGrainProperties(
        IServiceProvider services, Type grainClass, GrainType grainType, Dictionary<string, string> properties) =>
        properties[WellKnownGrainTypeProperties.PlacementStrategy] = Name;

    private string Name => name;
}
