using CoAP.NET.Cluster;
using CoAP.NET.Cluster.Sqlite;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Keeps the state of an application in a SQLite file.</summary>
public static class CoapSqliteClusterBuilderExtensions
{
    /// <summary>Keeps the state in a SQLite file, for one server on one machine.</summary>
    /// <param name="builder">The cluster.</param>
    /// <param name="path">The file; see <see cref="CoapSqliteClusterOptions.Path"/>.</param>
    /// <param name="configure">Sets further options; null for the defaults.</param>
    /// <returns>The builder.</returns>
    /// <exception cref="ArgumentException">An option is missing or out of its range.</exception>
    public static ICoapClusterBuilder UseSqlite(
        this ICoapClusterBuilder builder, string path, Action<CoapSqliteClusterOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        CoapSqliteClusterOptions options = new() { Path = path };
        configure?.Invoke(options);
        CoapSqliteClusterOptions known = options.Checked();
        return builder.UseStore(provider =>
        {
            known.TimeProvider = options.TimeProvider ?? (provider.GetService(typeof(TimeProvider)) as TimeProvider);
            return new CoapSqliteClusterStore(known);
        });
    }
}
