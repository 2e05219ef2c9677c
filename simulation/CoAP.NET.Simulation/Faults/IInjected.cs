namespace CoAP.NET.Simulation.Faults;

/// <summary>An exception that was injected.</summary>
internal interface IInjected
{
    /// <summary>Which fault it is; unique within a run.</summary>
    int Number { get; }

    /// <summary>The injected faults in an exception and in those within it.</summary>
    static IEnumerable<IInjected> Of(Exception? exception) => exception switch
    {
        null => [],
        IInjected injected => [injected],
        AggregateException all => all.InnerExceptions.SelectMany(Of),
        _ => Of(exception.InnerException),
    };
}
