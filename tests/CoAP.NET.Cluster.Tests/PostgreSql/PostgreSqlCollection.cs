namespace CoAP.NET.Cluster.Tests.PostgreSql;

/// <summary>Tests that use the PostgreSQL of these tests, one after the other.</summary>
[CollectionDefinition(Name)]
public sealed class PostgreSqlCollection : ICollectionFixture<PostgreSqlServer>
{
    public const string Name = "PostgreSQL";
}
