using System.Text.Json.Serialization;
using CoAP.NET.Load.Figures;
using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Workers;

/// <summary>
/// One line between a coordinator and a worker: a JSON object in UTF-8 that ends with a line feed, with its kind in "type". The order is:
/// hello, welcome, plan, (tick), ready, start, (tick), result. An error may replace any answer of the worker and ends the conversation;
/// cancel may follow the plan at any time.
/// </summary>
[JsonPolymorphic(TypeDiscriminatorPropertyName = "type")]
[JsonDerivedType(typeof(HelloMessage), "hello")]
[JsonDerivedType(typeof(WelcomeMessage), "welcome")]
[JsonDerivedType(typeof(PlanMessage), "plan")]
[JsonDerivedType(typeof(ReadyMessage), "ready")]
[JsonDerivedType(typeof(StartMessage), "start")]
[JsonDerivedType(typeof(ProgressMessage), "tick")]
[JsonDerivedType(typeof(ResultMessage), "result")]
[JsonDerivedType(typeof(ErrorMessage), "error")]
[JsonDerivedType(typeof(CancelMessage), "cancel")]
internal abstract record WorkerMessage;

/// <summary>The coordinator's first line.</summary>
/// <param name="Version">Its version of the protocol.</param>
/// <param name="Key">The word that both sides share; null for none.</param>
internal sealed record HelloMessage(int Version, string? Key = null) : WorkerMessage;

/// <summary>The worker accepts the coordinator, and is now busy for others.</summary>
internal sealed record WelcomeMessage(int Version, string Machine) : WorkerMessage;

/// <summary>The worker's part of the plan.</summary>
internal sealed record PlanMessage(LoadPlan Plan) : WorkerMessage;

/// <summary>The worker's peers are connected; it waits for the start.</summary>
internal sealed record ReadyMessage : WorkerMessage;

/// <summary>All workers are ready: begin.</summary>
internal sealed record StartMessage : WorkerMessage;

internal sealed record ProgressMessage(LoadProgress Tick) : WorkerMessage;

/// <summary>The result of the worker. The only line that may be long.</summary>
internal sealed record ResultMessage(LoadResult Result) : WorkerMessage;

/// <summary>Why the worker refuses, or failed.</summary>
/// <param name="Kind">One of the constants of <see cref="WorkerProtocolErrorCodes"/>, or one of a later version.</param>
/// <param name="Text">A readable sentence.</param>
internal sealed record ErrorMessage(string Kind, string Text) : WorkerMessage;

/// <summary>Stop immediately, and send the result so far.</summary>
internal sealed record CancelMessage : WorkerMessage;

[JsonSourceGenerationOptions(
    PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase,
    UseStringEnumConverter = true,
    DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull,
    AllowOutOfOrderMetadataProperties = true,
    RespectNullableAnnotations = true,
    RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(WorkerMessage))]
internal sealed partial class WorkerMessageJson : JsonSerializerContext;
