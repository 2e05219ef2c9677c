namespace CoAP.NET.PubSub.Tests.Processes;

/// <summary>
/// A test that needs the programs of PostgreSQL. It is skipped where they are absent; with <c>COAP_INTEROP=required</c> it fails there,
/// when it starts them.
/// </summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class PostgreSqlFactAttribute : FactAttribute
{
    public PostgreSqlFactAttribute()
    {
        if (!PostgreSqlProcess.IsInstalled && Environment.GetEnvironmentVariable("COAP_INTEROP") != "required")
        {
            Skip = $"PostgreSQL cannot be found. {PostgreSqlProcess.Advice}; with COAP_INTEROP=required its absence is a failure.";
        }
    }
}
