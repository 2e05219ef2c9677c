using Orleans.Configuration;
using Orleans.Hosting;

namespace CoAP.NET.Orleans.Tests.Silos;

/// <summary>What all silos of tests have.</summary>
internal static class SiloBuilderExtensions
{
    /// <summary>
    /// Keeps the places of few grains. By default a silo makes a table for a million of them at its start, which takes most of the time of
    /// a short test: the table is cleared, searched at each change of the members, and marked at each garbage collection.
    /// </summary>
    public static ISiloBuilder WithSmallDirectoryCache(this ISiloBuilder silo) =>
        silo.Configure<GrainDirectoryOptions>(static options => options.CacheSize = 1000);
}
