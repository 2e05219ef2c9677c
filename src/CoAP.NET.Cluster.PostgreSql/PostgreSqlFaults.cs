using System.Net.Sockets;
using Npgsql;

namespace CoAP.NET.Cluster.PostgreSql;

/// <summary>What errors of PostgreSQL and Npgsql mean for whoever uses the store (postgresql.org/docs/current/errcodes-appendix.html).
/// </summary>
internal static class PostgreSqlFaults
{
    /// <summary>Whether an exception says that the database failed, and is no defect of ours.</summary>
    public static bool IsFault(Exception exception) =>
        exception is NpgsqlException or TimeoutException or SocketException or IOException;

    /// <summary>Whether the connection is gone, as after a restart of the database, so that another one may do.</summary>
    public static bool IsLostConnection(Exception exception) =>
        exception is PostgresException { SqlState: ['5', '7', 'P', ..] } or SocketException or IOException
        || (exception is NpgsqlException and not PostgresException && exception.InnerException is not TimeoutException);

    public static CoapClusterStoreException Of(Exception exception)
    {
        string text = exception is PostgresException answer ? $"{answer.MessageText} ({answer.SqlState})" : exception.Message;
        return exception switch
        {
            PostgresException { SqlState: ['2', '8', ..] or "42501" } => new CoapClusterStoreException(CoapClusterStoreFault.Denied,
                $"PostgreSQL does not let this server in, or to its tables: {text}. Check user, password and rights.", exception),
            PostgresException { SqlState: "53100" or "53400" } => new CoapClusterStoreException(CoapClusterStoreFault.Full,
                $"PostgreSQL has no room: {text}. Until there is, nothing new is kept.", exception),
            PostgresException { SqlState: ['X', 'X', '0', '0', '1' or '2', ..] } => new CoapClusterStoreException(
                CoapClusterStoreFault.Corrupt, $"PostgreSQL says that its data is damaged: {text}.", exception),
            PostgresException { SqlState: "57014" or "55P03" } or TimeoutException
                or NpgsqlException { InnerException: TimeoutException } => new CoapClusterStoreException(CoapClusterStoreFault.TimedOut,
                    $"PostgreSQL did not answer in time (CommandTimeout): {text}.", exception),
            _ => new CoapClusterStoreException(CoapClusterStoreFault.Unavailable,
                $"PostgreSQL cannot be used: {text}. It is asked again with the next call.", exception),
        };
    }
}
