namespace CoAP.NET.Generators.Reading;

/// <summary>Where the argument of a handler parameter comes from.</summary>
internal enum ParameterSource
{
    Request,
    CancellationToken,
    Peer,
    Services,
    Route,
    Query,
    RouteOrQuery,
    QueryArray,
    Option,
    OptionArray,
    TypedOption,
    Service,
    KeyedService,
    ServiceOrBody,
    JsonBody,
    TextBody,
    BytesBody,
    MemoryBody,
    StreamBody,
    PipeBody,
}
