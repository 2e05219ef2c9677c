namespace CoAP.NET.Benchmarks;

/// <summary>
/// What was published for the matrix: P. Wille, "Increasing throughput of server applications by using asynchronous techniques: a case
/// study on CoAP.NET", BSc thesis, University of Innsbruck, 2022 (.NET 5, Ryzen 5 2600). Times in microseconds, memory in bytes.
/// </summary>
internal sealed record Published(
    double Deserialize, long DeserializeBytes, double DeserializeAsync, long DeserializeAsyncBytes, double Serialize, long SerializeBytes,
    double SerializeAsync, long SerializeAsyncBytes)
{
    /// <summary>The figures of each case.</summary>
    public static IReadOnlyDictionary<MatrixCase, Published> Of { get; } = new Dictionary<MatrixCase, Published>
    {
        [new MatrixCase(0, 0)] = new(1.679, 2048, 2.231, 1024, 5.142, 288, 5.618, 376),
        [new MatrixCase(0, 1024)] = new(3.683, 6144, 3.298, 4096, 5.867, 1384, 5.658, 376),
        [new MatrixCase(0, 4096)] = new(6.570, 10240, 5.077, 10240, 7.186, 4504, 5.710, 376),
        [new MatrixCase(0, 65536)] = new(98.533, 264192, 64.490, 264192, 23.527, 66040, 7.356, 376),
        [new MatrixCase(0, 131072)] = new(175.433, 526336, 111.011, 526336, 49.680, 131600, 9.347, 376),
        [new MatrixCase(1024, 0)] = new(1030.051, 1100800, 1440.076, 1280000, 551.922, 681589, 857.681, 475569),
        [new MatrixCase(1024, 1024)] = new(1014.093, 1104896, 1402.291, 1284096, 569.763, 682612, 864.956, 475570),
        [new MatrixCase(1024, 4096)] = new(1027.275, 1117184, 1416.083, 1297408, 570.333, 685693, 874.255, 475571),
        [new MatrixCase(1024, 65536)] = new(1631.388, 1362944, 1592.417, 1543168, 563.479, 747134, 853.992, 475569),
        [new MatrixCase(1024, 131072)] = new(1781.418, 1625088, 1817.051, 1805312, 594.334, 812665, 878.702, 475569),
        [new MatrixCase(4096, 0)] = new(6477.162, 4393984, 8416.154, 5114880, 2758.439, 4821823, 3415.820, 1900983),
        [new MatrixCase(4096, 1024)] = new(6711.475, 4398080, 8147.070, 5118976, 2659.178, 4822917, 3520.379, 1900976),
        [new MatrixCase(4096, 4096)] = new(6558.996, 4410368, 8737.255, 5131264, 2596.436, 4825775, 3415.203, 1900976),
        [new MatrixCase(4096, 65536)] = new(6924.552, 4656128, 9057.536, 5377024, 2507.161, 4887220, 3517.490, 1900981),
        [new MatrixCase(4096, 131072)] = new(7530.808, 4918272, 9543.723, 5639168, 2559.126, 4952758, 3533.880, 1900976),
        [new MatrixCase(65536, 0)] = new(166612.138, 70259712, 203180.664, 81794048, 58896.194, 108594097, 57919.596, 30409136),
        [new MatrixCase(65536, 1024)] = new(190898.380, 70263808, 198211.164, 81798144, 58689.037, 108595122, 55995.639, 30409136),
        [new MatrixCase(65536, 4096)] = new(190316.150, 70276096, 201316.657, 81810432, 58655.719, 108598179, 54769.243, 30409136),
        [new MatrixCase(65536, 65536)] = new(195944.825, 70521856, 200257.897, 82057216, 59328.566, 108659633, 56494.925, 30409136),
        [new MatrixCase(65536, 131072)] = new(170582.006, 70784000, 201631.362, 82319360, 57420.750, 108725176, 56286.964, 30409136),
        [new MatrixCase(131072, 0)] = new(286105.657, 140518400, 372129.381, 163586048, 117807.577, 219284480, 112894.956, 60817941),
        [new MatrixCase(131072, 1024)] = new(285783.220, 140520448, 372065.709, 163590144, 119120.364, 219285437, 110892.868, 60818109),
        [new MatrixCase(131072, 4096)] = new(282355.564, 140532736, 368936.160, 163602432, 120061.250, 219289669, 109851.123, 60820210),
        [new MatrixCase(131072, 65536)] = new(292059.675, 140780544, 366150.575, 163848192, 120002.202, 219349986, 111436.460, 60818109),
        [new MatrixCase(131072, 131072)] = new(304488.343, 141040640, 370709.611, 164110336, 120453.645, 219415507, 112449.316, 60818109),
    };

    /// <summary>100,000 options and 1,000,000,000 bytes of payload. Published in milliseconds and megabytes.</summary>
    public static Published Extreme { get; } = new(1_764_000, 2_893_000_000, 1_508_000, 4_003_000_000, 1_112_000, 3_016_000_000, 158_000,
        21_000_000);
}
