namespace CoAP.NET.Dtls.Tests.Hostile;

/// <summary>Tests that read the memory of the process: no others run beside them.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class MeasuredAlone
{
    /// <summary>The collection's name.</summary>
    public const string Name = "measured alone";
}
