using System.Reflection;
using Orleans.Runtime.MembershipService;

namespace CoAP.NET.Cluster.Tests.PostgreSql;

/// <summary>The queries of the tables of Orleans, and those that the referenced version of Orleans asks for.</summary>
public sealed class OrleansQueryTests
{
    /// <summary>Orleans refuses tables without one of its queries. The package of Orleans has no script of them.</summary>
    [Fact]
    public void The_Orleans_tables_have_exactly_the_queries_that_Orleans_requires()
    {
        Type asks = typeof(AdoNetClusteringTable).Assembly
            .GetType("Orleans.Clustering.AdoNet.Storage.DbStoredQueries", throwOnError: true)!;
        string[] keys = [.. asks.GetProperties(BindingFlags.Instance | BindingFlags.NonPublic | BindingFlags.Public)
            .Select(property => property.Name).Order(StringComparer.Ordinal)];

        Assert.NotEmpty(keys);
        Assert.Equal(keys, CoapOrleansTables.Queries.Select(query => query.Key).Order(StringComparer.Ordinal));
    }
}
