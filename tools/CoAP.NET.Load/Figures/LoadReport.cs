using System.Text.Json;
using System.Text.Json.Serialization;
using CoAP.NET.Load.Plans;
using CoAP.NET.Load.Workers;

namespace CoAP.NET.Load.Figures;

/// <summary>The results of one call of the program: a run for each level of peers. The content of the JSON file and of the plots.</summary>
internal sealed record LoadReport
{
    /// <summary>When the first run began.</summary>
    public required DateTimeOffset Begun { get; init; }

    /// <summary>The machine: system, processors, runtime.</summary>
    public required string Machine { get; init; }

    public required string Command { get; init; }

    /// <summary>The runs, in their order.</summary>
    public required IReadOnlyList<LoadResult> Runs { get; init; }

    public string ToJson() => JsonSerializer.Serialize(this, LoadJson.Default.LoadReport);

    /// <summary>Reads the output of <see cref="ToJson"/>.</summary>
    /// <exception cref="JsonException">It is not a report.</exception>
    public static LoadReport Parse(string json)
    {
        LoadReport report = JsonSerializer.Deserialize(json, LoadJson.Default.LoadReport) ?? throw new JsonException("null is "
            + "not a report.");
        return report.Runs.All(static run => run is not null && WorkerFigureValidator.IsSound(run))
            ? report
            : throw new JsonException("a run has figures that cannot be.");
    }
}

[JsonSourceGenerationOptions(PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, UseStringEnumConverter = true,
    RespectNullableAnnotations = true, DefaultIgnoreCondition = JsonIgnoreCondition.WhenWritingNull)]
[JsonSerializable(typeof(LoadPlan))]
[JsonSerializable(typeof(LoadResult))]
[JsonSerializable(typeof(LoadReport))]
internal sealed partial class LoadJson : JsonSerializerContext;
