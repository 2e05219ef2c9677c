using Npgsql;

namespace CoAP.NET.Cluster.PostgreSql;

/// <summary>Creates commands with constant texts of this assembly; all other values are parameters.</summary>
internal static class PostgreSqlCommandFactory
{
    public static NpgsqlCommand Make(NpgsqlConnection connection, string sql, params ReadOnlySpan<NpgsqlParameter> parameters)
    {
        NpgsqlCommand command = connection.CreateCommand();
#pragma warning disable CA2100 // the schema name is validated, and everything else is a constant
        command.CommandText = sql;
#pragma warning restore CA2100
        foreach (NpgsqlParameter parameter in parameters)
        {
            command.Parameters.Add(parameter);
        }

        return command;
    }

    public static NpgsqlParameter Value<T>(T value) => new NpgsqlParameter<T> { TypedValue = value };
}
