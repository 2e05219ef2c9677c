using CoAP.NET.Cluster;
using CoAP.NET.Cluster.PostgreSql;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Keeps the state of applications in PostgreSQL.</summary>
public static class CoapPostgreSqlClusterBuilderExtensions
{
    /// <summary>Keeps the state in PostgreSQL, which several nodes share.</summary>
    /// <param name="builder">The cluster.</param>
    /// <param name="connectionString">The database; see <see cref="CoapPostgreSqlClusterOptions.ConnectionString"/>.</param>
    /// <param name="configure">Sets further options; null for the defaults.</param>
    /// <returns>The builder.</returns>
    /// <exception cref="ArgumentException">An option is missing or out of its range.</exception>
    public static ICoapClusterBuilder UsePostgreSql(
        this ICoapClusterBuilder builder, string connectionString, Action<CoapPostgreSqlClusterOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        CoapPostgreSqlClusterOptions options = new() { ConnectionString = connectionString };
        configure?.Invoke(options);
        CoapPostgreSqlClusterOptions known = options.Checked();
        return builder.UseStore(_ => new CoapPostgreSqlClusterStore(known));
    }
}
